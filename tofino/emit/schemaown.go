package emit

import (
	"fmt"
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// Prefixes of numbers of the tables that the compiler adds by itself.
const (
	portMetadataPrefix    = 0x90
	snapshotPrefix        = 0x91
	snapshotTriggerPrefix = 0x92
	snapshotDataPrefix    = 0x93
	snapshotAlivePrefix   = 0x94
	hashConfigurePrefix   = 0x95
	hashComputePrefix     = 0x96
	hashAlgorithmPrefix   = 0x97
	debugCounterPrefix    = 0x99
)

// low returns the number that an object of another kind has if it has the same name.
func low(id, prefix uint32) uint32 { return prefix<<24 | id&0xFFFFFF }

// kinds of values.
var (
	uint32Type = schemaType{Type: "uint32"}
	uint64Type = schemaType{Type: "uint64"}
	boolType   = schemaType{Type: "bool"}
	textType   = schemaType{Type: "string"}
)

// from returns a type with a default value, among a type whose values are listed.
func (t schemaType) from(value any) schemaType { t.Default = value; return t }

func among(words string) schemaType {
	return schemaType{Type: "string", Choices: strings.Fields(words)}
}

// own returns a table that the compiler adds.
func own(name string, id uint32, kind string, size int) schemaTable {
	return schemaTable{Name: name, ID: id, Type: kind, Size: size, DependsOn: []uint32{},
		Key: []schemaKey{}, Data: []schemaCommon{}, Operations: []string{}, Attributes: []string{}}
}

func (t *schemaTable) keyed(id uint32, name string, mandatory bool, kind schemaType) {
	t.Key = append(t.Key, schemaKey{ID: id, Name: name, Annotations: []annotation{},
		Mandatory: mandatory, Match: "Exact", Type: kind})
}

// one returns a datum. The name of a datum that can only be read begins with "ro ", the name of a
// repeated datum with "* ".
func one(id uint32, name string, kind schemaType) schemaCommon {
	c := schemaCommon{Singleton: schemaSingleton{ID: id, Annotations: []annotation{}, Type: &kind}}
	name, c.ReadOnly = strings.CutPrefix(name, "ro ")
	c.Singleton.Name, c.Singleton.Repeated = strings.CutPrefix(name, "* ")
	return c
}

func (t *schemaTable) has(id uint32, name string, kind schemaType) {
	t.Data = append(t.Data, one(id, name, kind))
}

// container adds a datum that consists of others.
func (t *schemaTable) container(id uint32, name string, of ...schemaCommon) {
	c := one(id, name, schemaType{})
	c.Singleton.Type, c.Singleton.Container = nil, of
	t.Data = append(t.Data, c)
}

// ownTables returns the tables that the compiler adds to a program's: the port metadata, the
// snapshots of both gresses, three tables for each hash, and the counters for tables.
func ownTables(p *ir.Program) []schemaTable {
	ports := own("pipe.IngressParser.$PORT_METADATA",
		ID(portMetadataPrefix, "pipe.IngressParser.$PORT_METADATA"), "PortMetadata", 288)
	ports.Annotations = &[]annotation{}
	ports.keyed(65575, "ig_intr_md.ingress_port", true, octets(9))
	ports.has(65576, "$DEFAULT_FIELD", octets(128))

	counter := own("tbl_dbg_counter", low(0, debugCounterPrefix), "TblDbgCnt", 320)
	counter.keyed(65626, "tbl_name", true, textType)
	counter.has(65627, "type", among("DISABLED TBL_MISS TBL_HIT GW_TBL_MISS GW_TBL_HIT "+
		"GW_TBL_INHIBIT").from("TBL_HIT"))
	counter.has(65628, "value", uint64Type.from(0))
	tables := append(hashTables(p), snapshots(p)...)
	return append(tables, ports, counter)
}

// hashUse is a use of a hash function, which has an instance of its own.
type hashUse struct {
	gress ir.Gress
	name  string
	of    ir.Hash
}

// hashTables returns three tables for each use of a hash function: by them a control plane may
// change what it computes.
func hashTables(p *ir.Program) (tables []schemaTable) {
	t := newText(p, nil)
	for gress := ir.Ingress; gress <= ir.Ghost; gress++ {
		t.control(gress)
	}
	for _, use := range t.hashed {
		name := "pipe." + control(use.gress) + "." + use.name
		id := ID(0, name)
		tables = append(tables, t.hashAlgorithm(name, id), t.hashConfigure(name, id, use.of),
			t.hashCompute(name, id, use.of))
	}
	for at := range tables {
		tables[at].Annotations = &[]annotation{}
	}
	return tables
}

func (t *text) hashAlgorithm(name string, id uint32) schemaTable {
	made := own(name+".algorithm", low(id, hashAlgorithmPrefix), "DynHashAlgorithm", 1)
	made.DependsOn = []uint32{low(id, hashConfigurePrefix)}
	made.has(65577, "rotate", uint32Type.from(0))
	made.has(65578, "seed", uint32Type.from(0))
	made.has(65579, "msb", boolType.from(false))
	made.has(65580, "extend", boolType.from(false))
	action := func(id uint32, name string, data ...schemaData) schemaAction {
		for at := range data {
			data[at].ID, data[at].Annotations = uint32(at+1), []annotation{}
		}
		return schemaAction{ID: id, Name: name, Scope: "TableAndDefault", Annotations: []annotation{},
			Data: data}
	}
	made.Actions = []schemaAction{
		action(65581, "pre_defined", schemaData{Name: "algorithm_name",
			Type: among(hashAlgorithms).from("RANDOM")}),
		action(65582, "user_defined", schemaData{Name: "reverse", Type: boolType.from(false)},
			schemaData{Name: "polynomial", Mandatory: true, Type: uint64Type},
			schemaData{Name: "init", Type: uint64Type.from(0)},
			schemaData{Name: "final_xor", Type: uint64Type.from(0)},
			schemaData{Name: "hash_bit_width", Type: uint64Type}),
	}
	return made
}

// hashAlgorithms are the algorithms that have names.
const hashAlgorithms = "IDENTITY RANDOM XOR CRC_8 CRC_8_DARC CRC_8_I_CODE CRC_8_ITU CRC_8_MAXIM " +
	"CRC_8_ROHC CRC_8_WCDMA CRC_16 CRC_16_BYPASS CRC_16_DDS_110 CRC_16_DECT CRC_16_DECT_R " +
	"CRC_16_DECT_X CRC_16_DNP CRC_16_EN_13757 CRC_16_GENIBUS CRC_16_MAXIM CRC_16_MCRF4XX " +
	"CRC_16_RIELLO CRC_16_T10_DIF CRC_16_TELEDISK CRC_16_USB X_25 XMODEM MODBUS KERMIT " +
	"CRC_CCITT_FALSE CRC_AUG_CCITT CRC_32 CRC_32_BZIP2 CRC_32C CRC_32D CRC_32_MPEG POSIX CRC_32Q " +
	"JAMCRC XFER CRC_64 CRC_64_GO_ISO CRC_64_WE CRC_64_JONES"

func (t *text) hashConfigure(name string, id uint32, x ir.Hash) schemaTable {
	made := own(name+".configure", low(id, hashConfigurePrefix), "DynHashConfigure", 1)
	constants := 0
	for at, field := range x.Fields {
		label := "* " + bare(t.expression(field))
		_, number := field.(ir.Const)
		if number {
			label = fmt.Sprintf("* constant%d_%d_%s", constants, field.Width(), bare(t.expression(field)))
			constants++
		}
		order := one(65586, "order", uint64Type)
		order.Mandatory = true
		made.container(uint32(at+1), label, one(65584, "start_bit", uint64Type.from(0)),
			one(65585, "length", uint64Type.from(field.Width())), order)
		if number {
			made.Data[at].Singleton.Annotations = []annotation{{Name: "bfrt_p4_constant"}}
		}
	}
	return made
}

func (t *text) hashCompute(name string, id uint32, x ir.Hash) schemaTable {
	made := own(name+".compute", low(id, hashComputePrefix), "DynHashCompute", 1)
	made.DependsOn, made.ReadOnly = []uint32{low(id, hashConfigurePrefix)}, true
	for _, field := range x.Fields {
		if _, number := field.(ir.Const); !number {
			made.keyed(uint32(len(made.Key)+1), bare(t.expression(field)), false, octets(field.Width()))
		}
	}
	made.has(65583, "ro hash_value", octets(x.Function.Bits))
	return made
}
