package emit

import (
	"fmt"
	"strings"

	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// snapshots returns the seven tables by which a control plane captures the fields that a stage
// sees.
func snapshots(p *ir.Program) []schemaTable {
	ids := map[string]uint32{}
	number := func(gress ir.Gress) uint32 {
		name := control(gress)
		return ID(0, "pipe."+name+"."+name)
	}
	cfg := own("pipe.snapshot.cfg", low(number(ir.Ingress), snapshotPrefix), "SnapshotCfg",
		chip.Stages)
	cfg.keyed(65587, "start_stage", false, uint32Type.from(0))
	cfg.keyed(65588, "end_stage", false, uint32Type.from(chip.Stages-1))
	cfg.has(65591, "timer_enable", boolType.from(false))
	cfg.has(65593, "timer_value_usecs", uint32Type)
	cfg.has(65600, "ingress_trigger_mode", among("INGRESS GHOST INGRESS_GHOST ANY").from("INGRESS"))
	cfg.has(65620, "thread", among("INGRESS EGRESS ALL"))
	cfg.Data[3].Mandatory = true
	for at, name := range []string{"ingress", "egress", "ghost"} {
		cfg.has(uint32(65621+at), "ro * "+name+"_capture", uint32Type)
	}
	var tables []schemaTable
	for _, gress := range []ir.Gress{ir.Ingress, ir.Egress} {
		fields := captured(p, gress, ids)
		trigger := snapshotTrigger(gress, low(number(gress), snapshotTriggerPrefix), fields)
		cfg.DependsOn = append(cfg.DependsOn, trigger.ID)
		alive := own(fmt.Sprintf("pipe.snapshot.%v_liveness", gress),
			low(number(gress), snapshotAlivePrefix), "SnapshotLiveness", 0)
		alive.keyed(65618, "field_name", true, textType)
		alive.has(65619, "ro * valid_stages", uint32Type)
		tables = append(tables, trigger,
			snapshotData(gress, low(number(gress), snapshotDataPrefix), fields), alive)
	}
	return append([]schemaTable{cfg}, tables...)
}

// capture is a field that a snapshot has.
type capture struct {
	id   uint32
	name string
	bits int
}

// captured returns the fields of a gress. A field that both gresses have has one number.
func captured(p *ir.Program, gress ir.Gress, ids map[string]uint32) (fields []capture) {
	add := func(name string, bits int) {
		if ids[name] == 0 {
			ids[name] = uint32(len(ids) + 1)
		}
		fields = append(fields, capture{ids[name], name, bits})
	}
	for _, header := range p.Headers {
		add("hdr."+header.Name+".$valid", 1)
		for _, field := range header.Fields {
			add("hdr."+header.Name+"."+field.Name, field.Bits)
		}
	}
	for _, field := range p.Metadata[gress] {
		add("md."+field.Name, field.Bits)
	}
	for _, of := range strings.Split(strings.TrimSpace(architecture[gress]), "\n") {
		words := strings.Fields(of)
		for _, word := range words[1:] {
			name, bits := "", 0
			if _, err := fmt.Sscanf(strings.Replace(word, ":", " ", 1), "%s %d", &name, &bits); err != nil {
				panic(err) // of the text below
			}
			add(words[0]+"."+name, bits)
		}
	}
	return fields
}

// architecture are the fields of T2NA's structures, in their order, with their bits.
var architecture = [...]string{
	ir.Ingress: `
ig_intr_md resubmit_flag:1 _pad1:1 packet_version:2 _pad2:3 ingress_port:9 ingress_mac_tstamp:48
ig_prsr_md global_tstamp:48 global_ver:32 parser_err:16
ig_dprsr_md drop_ctl:3 digest_type:3 resubmit_type:3 mirror_type:4 mirror_io_select:1 mirror_hash:13 mirror_ingress_cos:3 mirror_deflect_on_drop:1 mirror_multicast_ctrl:1 mirror_egress_port:9 mirror_qid:7 mirror_coalesce_length:8 adv_flow_ctl:32 mtu_trunc_len:14 mtu_trunc_err_f:1 pktgen:1 pktgen_address:14 pktgen_length:10
ig_tm_md ucast_egress_port:9 bypass_egress:1 deflect_on_drop:1 ingress_cos:3 qid:7 icos_for_copy_to_cpu:3 copy_to_cpu:1 packet_color:2 disable_ucast_cutthru:1 enable_mcast_cutthru:1 mcast_grp_a:16 mcast_grp_b:16 level1_mcast_hash:13 level2_mcast_hash:13 level1_exclusion_id:16 level2_exclusion_id:9 rid:16
`,
	ir.Egress: `
eg_intr_md _pad0:7 egress_port:9 _pad1:5 enq_qdepth:19 _pad2:6 enq_congest_stat:2 enq_tstamp:32 _pad3:5 deq_qdepth:19 _pad4:6 deq_congest_stat:2 app_pool_congest_stat:8 deq_timedelta:32 egress_rid:16 _pad5:7 egress_rid_first:1 _pad6:1 egress_qid:7 _pad7:5 egress_cos:3 _pad8:7 deflection_flag:1 pkt_length:16 _pad9:8
eg_prsr_md global_tstamp:48 global_ver:32 parser_err:16
eg_dprsr_md drop_ctl:3 mirror_type:4 coalesce_flush:1 coalesce_length:7 mirror_io_select:1 mirror_hash:13 mirror_ingress_cos:3 mirror_deflect_on_drop:1 mirror_multicast_ctrl:1 mirror_egress_port:9 mirror_qid:7 mirror_coalesce_length:8 adv_flow_ctl:32 mtu_trunc_len:14 mtu_trunc_err_f:1
eg_oport_md capture_tstamp_on_tx:1 update_delay_on_tx:1
`,
}

func snapshotTrigger(gress ir.Gress, id uint32, fields []capture) schemaTable {
	made := own(fmt.Sprintf("pipe.snapshot.%v_trigger", gress), id, "SnapshotTrigger", chip.Stages)
	made.keyed(65587, "stage", true, uint32Type.from(0))
	made.has(65589, "enable", boolType.from(false))
	made.has(65590, "ro * trigger_state", among("PASSIVE ARMED FULL"))
	for _, f := range fields {
		made.has(f.id, "trig."+f.name, octets(f.bits))
		made.has(f.id+0x8000, "trig."+f.name+"_mask", octets(f.bits))
	}
	return made
}

func snapshotData(gress ir.Gress, id uint32, fields []capture) schemaTable {
	made := own(fmt.Sprintf("pipe.snapshot.%v_data", gress), id, "SnapshotData", chip.Stages)
	made.keyed(65587, "stage", true, uint32Type.from(0))
	made.has(65599, "ro prev_stage_trigger", boolType.from(false))
	made.has(65592, "ro timer_trigger", boolType.from(false))
	made.has(65601, "ro local_stage_trigger", boolType.from(false))
	made.has(65603, "ro next_table_name", textType)
	made.container(65596, "ro * table_info", one(65611, "ro table_name", textType),
		one(65614, "ro match_hit_handle", uint32Type), one(65615, "ro table_hit", boolType),
		one(65616, "ro table_inhibited", boolType), one(65617, "ro table_executed", boolType))
	for at, name := range strings.Fields("enabled_next_tables global_execute_tables " +
		"enabled_global_execute_tables long_branch_tables enabled_long_branch_tables") {
		made.has(uint32(65604+at), "ro * "+name, textType)
	}
	made.has(65609, "ro deparser_error", boolType)
	made.container(65597, "ro * meter_alu_info", one(65612, "ro table_name", textType),
		one(65613, "ro meter_alu_operation_type", textType))
	for _, f := range fields {
		made.has(f.id, "ro "+f.name, octets(f.bits))
	}
	return made
}
