package check

import (
	"fmt"
	"strconv"
	"strings"
)

// intrinsic are the fields of the architecture's structures, with their bits.
var intrinsic = map[string]map[string]int{
	"ingress_intrinsic_metadata_t": {
		"resubmit_flag": 1, "ingress_port": 9, "ingress_mac_tstamp": 48,
	},
	"ingress_intrinsic_metadata_from_parser_t": {"global_tstamp": 48, "parser_err": 16},
	"ingress_intrinsic_metadata_for_deparser_t": {"drop_ctl": 3, "resubmit_type": 3, "mirror_type": 4,
		"mirror_io_select": 1, "mirror_egress_port": 9, "mirror_qid": 7, "mirror_multicast_ctrl": 1,
		"mirror_ingress_cos": 3, "adv_flow_ctl": 32, "mtu_trunc_len": 14, "pktgen": 1,
		"pktgen_address": 14, "pktgen_length": 10},
	"ingress_intrinsic_metadata_for_tm_t": {"ucast_egress_port": 9, "qid": 7, "ingress_cos": 3,
		"bypass_egress": 1, "mcast_grp_a": 16, "mcast_grp_b": 16, "level1_exclusion_id": 16,
		"level2_exclusion_id": 9, "rid": 16, "packet_color": 2, "disable_ucast_cutthru": 1},
	"egress_intrinsic_metadata_t": {"egress_port": 9, "enq_qdepth": 19, "deq_qdepth": 19,
		"enq_tstamp": 32, "deq_timedelta": 32, "egress_rid": 16, "egress_qid": 7, "egress_cos": 3,
		"pkt_length": 16},
	"egress_intrinsic_metadata_from_parser_t": {"global_tstamp": 48, "parser_err": 16},
	"egress_intrinsic_metadata_for_deparser_t": {"drop_ctl": 3, "mirror_type": 4,
		"mirror_io_select":   1,
		"mirror_egress_port": 9, "mirror_qid": 7, "mirror_multicast_ctrl": 1, "mirror_ingress_cos": 3,
		"adv_flow_ctl": 32, "mtu_trunc_len": 14},
	"egress_intrinsic_metadata_for_output_port_t": {},
	"ghost_intrinsic_metadata_t": {
		"ping_pong": 1, "qlength": 18, "qid": 11, "pipe_id": 2,
	},
}

// words are what may stand without a declaration.
var words = map[string]bool{"if": true, "else": true, "switch": true, "true": true, "false": true,
	"transition": true, "select": true, "default": true, "accept": true, "reject": true, "bit": true,
	"HashAlgorithm_t": true, "PORT_METADATA_SIZE": true}

// methods are what is called of which kind of thing.
var methods = map[string][]string{
	"packet_in": {"extract", "advance", "lookahead"}, "packet_out": {"emit"},
	"Hash": {"get"}, "Mirror": {"emit"}, "RegisterAction": {"execute"}, "table": {"apply"},
	"header": {"isValid", "setValid", "setInvalid"},
}

// scope is what names mean where they stand.
type scope struct {
	program *program
	kinds   map[string]string // by name: a type, or "table", "action", "state"
}

// inner returns the scope with more names.
func (s scope) inner(names ...typed) scope {
	twin := scope{s.program, make(map[string]string, len(s.kinds)+len(names))}
	for name, kind := range s.kinds {
		twin.kinds[name] = kind
	}
	for _, one := range names {
		twin.kinds[one.name] = one.kind
	}
	return twin
}

// bits returns the width of a type, 0 if it is not one of bits, or of more than a compiler takes.
func bits(kind string) int {
	if !strings.HasPrefix(kind, "bit<") {
		return 0
	}
	width, err := strconv.Atoi(strings.TrimSuffix(kind[len("bit<"):], ">"))
	if err != nil || width > mostBits {
		return 0
	}
	return width
}

// member returns the type of a member of a type, or false if it has none of this name.
func (s scope) member(kind, name string) (string, bool) {
	if fields, known := intrinsic[kind]; known {
		width, is := fields[name]
		return fmt.Sprintf("bit<%d>", width), is
	}
	if of := s.program.structs[kind]; of != nil {
		for _, one := range of.fields {
			if one.name == name {
				return one.kind, true
			}
		}
		if of.header {
			kind = "header"
		}
	}
	kind, _, _ = strings.Cut(kind, "<")
	if strings.HasPrefix(kind, "RegisterAction") {
		kind = "RegisterAction"
	}
	for _, method := range methods[kind] {
		if method == name {
			return "method", true
		}
	}
	return "", false
}

// hold notes names that are not declared, members that are not there and numbers without a width.
func (s scope) hold(f *faults, where string, list []token) {
	file := s.program.file
	for at := 0; at < len(list); at++ {
		t := list[at]
		switch {
		case t.kind == 'n':
			s.holdNumber(f, where, list, at)
		case t.kind != 'i' || words[t.text]:
		case s.program.structs[t.text] != nil:
		default:
			kind, known := s.kinds[t.text]
			if !known {
				f.add(file, t.offset, where, t.text, "is not declared")
				continue
			}
			for at+2 < len(list) && list[at+1].text == "." {
				name := list[at+2]
				if kind, known = s.member(kind, name.text); !known {
					f.add(file, name.offset, where, t.text+"."+name.text, "is not declared")
					break
				}
				at += 2
			}
		}
		if t.text == "HashAlgorithm_t" {
			at += 2
		}
		if after := at + 1; after+1 < len(list) && list[after].text == "." && list[at].text == ")" {
			at += 2 // of a result: hit, miss, action_run
		}
	}
}

// holdNumber checks a number: it has a width and fits it, unless it stands in a type or a slice.
func (s scope) holdNumber(f *faults, where string, list []token, at int) {
	t := list[at]
	width, _, ok := t.literal()
	neighbour := func(by int) string {
		if at+by < 0 || at+by >= len(list) {
			return ""
		}
		return list[at+by].text
	}
	ofType := neighbour(-1) == "<" && neighbour(-2) == "bit"
	ofSlice := neighbour(1) == ":" && neighbour(-1) == "[" || neighbour(-1) == ":" &&
		neighbour(1) == "]"
	switch {
	case !ok:
		f.add(s.program.file, t.offset, where, t.text, "is no number that fits its width")
	case width == 0 && !ofType && !ofSlice:
		f.add(s.program.file, t.offset, where, t.text, "has no width")
	}
}

// width returns the bits of a field or a slice of one, 0 if it cannot be told.
func (s scope) width(list []token) int {
	if len(list) == 0 {
		return 0
	}
	kind := s.kinds[list[0].text]
	at := 1
	for ; at+1 < len(list) && list[at].text == "."; at += 2 {
		kind, _ = s.member(kind, list[at+1].text)
	}
	if at+4 < len(list) && list[at].text == "[" {
		high, errHigh := strconv.Atoi(list[at+1].text)
		low, errLow := strconv.Atoi(list[at+3].text)
		if errHigh != nil || errLow != nil || low > high || high >= bits(kind) {
			return 0
		}
		return high - low + 1
	}
	return bits(kind)
}
