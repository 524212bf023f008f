package ir

// Shorthands for the types of the schema below.
func number(name string, bits int) FixedField { return FixedField{Name: name, Bits: bits} }
func flag(name string) FixedField             { return FixedField{Name: name, Kind: FixedBool} }
func list(name string, bits int) FixedField {
	return FixedField{Name: name, Kind: FixedList, Bits: bits}
}
func text(name string, choices ...string) FixedField {
	return FixedField{Name: name, Kind: FixedText, Choices: choices}
}
func readOnly(f FixedField) FixedField { f.ReadOnly = true; return f }

// cells of a limit; the pool's share of dynamic thresholds, alpha/(1+alpha) for alpha of 1/64 to 4.
var (
	priorities = []string{"0", "1", "2", "3", "4", "5", "6", "7"}
	shares     = []string{"DISABLE", "1.5%", "3%", "6%", "11%", "20%", "33%", "50%", "66%", "80%"}
	queueKeys  = []FixedField{number("pg_id", 8), number("pg_queue", 8)}
	portKey    = []FixedField{number("dev_port", 32)}
)

// Tables of the traffic manager.
var (
	PipeScheduling = &FixedTable{
		Name: "tf2.tm.pipe.sched_cfg", ID: 4278517842, ByPipe: true, Modify: true,
		Fields: []FixedField{flag("advanced_flow_control_enable")},
	}
	PipeConfig = &FixedTable{
		Name: "tf2.tm.pipe.cfg", ByPipe: true, Modify: true,
		Fields: []FixedField{text("queue_depth_report_mode", "ANY", "COLOR")},
	}
	QueueScheduling = &FixedTable{
		Name: "tf2.tm.queue.sched_cfg", ID: 4278517797, ByPipe: true, Modify: true, Keys: queueKeys,
		Fields: []FixedField{text("advanced_flow_control", "CREDIT", "XOFF"),
			text("max_priority", priorities...), text("min_priority", priorities...),
			number("dwrr_weight", 16), flag("scheduling_enable")},
	}
	QueueConfig = &FixedTable{
		Name: "tf2.tm.queue.cfg", ByPipe: true, Modify: true, Keys: queueKeys,
		Fields: []FixedField{flag("depth_report_enable"), number("pfc_cos", 8)},
	}
	QueueBuffer = &FixedTable{
		Name: "tf2.tm.queue.buffer", ByPipe: true, Modify: true, Keys: queueKeys,
		Actions: []string{"shared_pool"},
		Fields: []FixedField{text("pool_id"), number("pool_max_cells", 32),
			text("dynamic_baf", shares...)},
	}
	PortGroup = &FixedTable{
		Name: "tf2.tm.port.group", ByPipe: true, Modify: true, Keys: []FixedField{number("pg_id", 8)},
		Actions: []string{"map", "seq", "even", "crop"},
		Fields:  []FixedField{list("port_queue_count", 8)},
	}
	PortConfig = &FixedTable{
		Name: "tf2.tm.port.cfg", Modify: true, Keys: portKey,
		Fields: []FixedField{readOnly(number("pg_id", 8)), readOnly(number("pg_port_nr", 8)),
			readOnly(number("port_queues_count", 8)), readOnly(list("ingress_qid_map", 8)),
			readOnly(list("egress_qid_queues", 8))},
	}
	PortFlowControl = &FixedTable{
		Name: "tf2.tm.port.flowcontrol", Modify: true, Keys: portKey,
		Fields: []FixedField{text("mode_tx", "NONE", "PFC", "PAUSE"),
			readOnly(text("mode_rx", "NONE", "PFC", "PAUSE")), list("cos_to_icos", 8)},
	}
	PriorityGroup = &FixedTable{
		Name: "tf2.tm.ppg.cfg", ByPipe: true, Keys: []FixedField{number("ppg_id", 8)},
		Actions: []string{"dev_port"},
		Fields: []FixedField{number("dev_port", 32), flag("pfc_enable"),
			number("pfc_skid_max_cells", 32), number("guaranteed_cells", 32),
			number("hysteresis_cells", 32), text("pool_id"), number("pool_max_cells", 32),
			text("dynamic_baf", shares...), flag("icos_0"), flag("icos_1"), flag("icos_2"),
			flag("icos_3"), flag("icos_4"), flag("icos_5"), flag("icos_6"), flag("icos_7")},
	}
	PoolConfig = &FixedTable{
		Name: "tf2.tm.pool.cfg", Modify: true, Keys: []FixedField{text("pool")},
		Fields: []FixedField{number("size_cells", 32)},
	}
	PoolPFC = &FixedTable{
		Name: "tf2.tm.pool.app_pfc", Modify: true, Keys: []FixedField{text("pool"), number("cos", 8)},
		Fields: []FixedField{number("pfc_limit_cells", 32)},
	}
)

// Tables of mirrors, multicast, ports and the packet generator.
var (
	MirrorSession = &FixedTable{
		Name: "$mirror.cfg", Keys: []FixedField{number("$sid", 16)}, Actions: []string{"$normal"},
		Fields: []FixedField{text("$direction", "INGRESS", "EGRESS", "BOTH"), flag("$session_enable"),
			number("$ucast_egress_port", 32), flag("$ucast_egress_port_valid"),
			number("$egress_port_queue", 32), number("$ingress_cos", 32),
			text("$packet_color", "GREEN", "YELLOW", "RED"), number("$max_pkt_len", 16)},
	}
	MulticastGroups = &FixedTable{
		Name: "$pre.mgid", Keys: []FixedField{number("$MGID", 16)},
		Fields: []FixedField{list("$MULTICAST_NODE_ID", 32)},
	}
	MulticastNodes = &FixedTable{
		Name: "$pre.node", Keys: []FixedField{number("$MULTICAST_NODE_ID", 32)},
		Fields: []FixedField{number("$MULTICAST_RID", 16), list("$MULTICAST_LAG_ID", 32),
			list("$DEV_PORT", 32)},
	}
	MulticastPrune = &FixedTable{
		Name: "$pre.prune", Modify: true, Keys: []FixedField{number("$MULTICAST_L2_XID", 16)},
		Fields: []FixedField{list("$DEV_PORT", 32)},
	}
	Ports = &FixedTable{
		Name: "$PORT", Keys: []FixedField{number("$DEV_PORT", 32)},
		Fields: []FixedField{text("$SPEED"), text("$FEC"), flag("$PORT_ENABLE"),
			number("$TX_PFC_EN_MAP", 32), number("$RX_PFC_EN_MAP", 32)},
	}
	GeneratorApp = &FixedTable{
		Name: "tf2.pktgen.app_cfg", ByPipe: true, Modify: true, Keys: []FixedField{number("app_id", 8)},
		Actions: []string{"trigger_timer_periodic", "trigger_timer_one_shot"},
		Fields: []FixedField{flag("app_enable"), number("timer_nanosec", 32), number("pkt_len", 16),
			number("pkt_buffer_offset", 16), number("pipe_local_source_port", 8),
			number("batch_count_cfg", 16), number("packets_per_batch_cfg", 16), number("ibg", 32),
			number("ipg", 32), number("assigned_chnl_id", 8)},
	}
	GeneratorPort = &FixedTable{
		Name: "tf2.pktgen.port_cfg", Modify: true, Keys: portKey,
		Fields: []FixedField{flag("pktgen_enable"), flag("recirculation_enable")},
	}
)

// FixedTables lists the tables that a [Config] may fill besides its program's tables.
func FixedTables() []*FixedTable {
	return []*FixedTable{
		Ports, PortGroup, PortConfig, PortFlowControl, PoolConfig, PoolPFC, PriorityGroup, QueueConfig,
		QueueBuffer, QueueScheduling, PipeConfig, PipeScheduling, MirrorSession, MulticastNodes,
		MulticastGroups, MulticastPrune, GeneratorPort, GeneratorApp,
	}
}
