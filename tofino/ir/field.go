package ir

// Gress is a part of the chip that runs a control of its own.
type Gress uint8

// The three.
const (
	Ingress Gress = iota
	Egress
	Ghost
	gresses
)

// String returns "ingress", "egress" or "ghost".
func (g Gress) String() string {
	if int(g) >= len(gressNames) {
		return "no gress"
	}
	return gressNames[g]
}

var gressNames = [...]string{"ingress", "egress", "ghost"}

// Field is a number of the packet or beside it: of a header, of the program's metadata, or
// intrinsic. A field is itself by its address, and is an expression.
type Field struct {
	Name string // an identifier of P4
	Bits int    // 1 to 128
	slot int    // of an intrinsic field: its position among the values of a pass
}

// Header is a row of fields that a parser takes from the packet and a deparser puts there if it is
// valid. Its fields have whole octets in all.
type Header struct {
	Name   string
	Fields []*Field
}

// Octets returns the length of the header.
func (h *Header) Octets() int {
	bits := 0
	for _, field := range h.Fields {
		bits += field.Bits
	}
	return bits / 8
}

// Intrinsic fields, by which programs and chip speak. A gress may name only its own intrinsic
// fields: ingress does not know a packet's length, egress does not choose a port.
//
// Without a unicast port and a multicast group a packet goes nowhere. ExcludedPort is an entry of
// [MulticastPrune], whose ports get no copy. With a mirror port of 0 the session's port holds.
var (
	IngressPort = intrinsic("ig_intr_md.ingress_port", 9)
	IngressTime = intrinsic("ig_intr_md.ingress_mac_tstamp", 48)

	EgressSpec     = intrinsic("ig_tm_md.ucast_egress_port", 9)
	QueueSpec      = intrinsic("ig_tm_md.qid", 7)
	MulticastGroup = intrinsic("ig_tm_md.mcast_grp_a", 16)
	ExcludedPort   = intrinsic("ig_tm_md.level2_exclusion_id", 9)

	IngressDrop       = intrinsic("ig_dprsr_md.drop_ctl", 3)
	IngressMirror     = intrinsic("ig_dprsr_md.mirror_type", 4)
	IngressMirrorPort = intrinsic("ig_dprsr_md.mirror_egress_port", 9)
	IngressMirrorQID  = intrinsic("ig_dprsr_md.mirror_qid", 7)

	EgressPort  = intrinsic("eg_intr_md.egress_port", 9)
	EgressQueue = intrinsic("eg_intr_md.egress_qid", 7)
	ReplicaID   = intrinsic("eg_intr_md.egress_rid", 16)
	QueueDepth  = intrinsic("eg_intr_md.deq_qdepth", 19)
	PacketBytes = intrinsic("eg_intr_md.pkt_length", 16)
	EgressTime  = intrinsic("eg_prsr_md.global_tstamp", 48)

	EgressDrop       = intrinsic("eg_dprsr_md.drop_ctl", 3)
	EgressMirror     = intrinsic("eg_dprsr_md.mirror_type", 4)
	EgressMirrorPort = intrinsic("eg_dprsr_md.mirror_egress_port", 9)
	EgressMirrorQID  = intrinsic("eg_dprsr_md.mirror_qid", 7)

	GhostDepth = intrinsic("g_intr_md.qlength", 18)
	GhostQueue = intrinsic("g_intr_md.qid", 11)
	GhostPipe  = intrinsic("g_intr_md.pipe_id", 2)
)

func intrinsic(name string, bits int) *Field {
	intrinsicFields++
	return &Field{Name: name, Bits: bits, slot: intrinsicFields - 1}
}

// intrinsicFields counts the intrinsic fields, which come first among the values of a pass.
var intrinsicFields int

// intrinsics lists the intrinsic fields of each gress, fields that are read only first.
var intrinsics = [gresses][]*Field{
	Ingress: {IngressPort, IngressTime, EgressSpec, QueueSpec, MulticastGroup, ExcludedPort,
		IngressDrop, IngressMirror, IngressMirrorPort, IngressMirrorQID},
	Egress: {EgressPort, EgressQueue, ReplicaID, QueueDepth, PacketBytes, EgressTime, EgressDrop,
		EgressMirror, EgressMirrorPort, EgressMirrorQID},
	Ghost: {GhostDepth, GhostQueue, GhostPipe},
}

// given is the number of intrinsic fields of each gress that the chip writes and programs read.
var given = [gresses]int{Ingress: 2, Egress: 6, Ghost: 3}

// Intrinsics returns the intrinsic fields of a gress: fields that the chip gives, and fields that
// the program may set.
func Intrinsics(gress Gress) (read, written []*Field) {
	if gress >= gresses {
		return nil, nil
	}
	return intrinsics[gress][:given[gress]], intrinsics[gress][given[gress]:]
}
