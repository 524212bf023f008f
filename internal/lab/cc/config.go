package cc

import "github.com/sluicefc/sluice"

// Config configures a [Control]. Of the structures of the kinds, the one of Kind counts; their zero
// values are not valid: see Configure. The kinds with TCD have those of the kind without it. A Rate
// of 0 is the default for a flow's line rate, which Definitions names.
type Config struct {
	Kind Kind
	// Window is the payload that a flow may have unacknowledged, 0 for no limit. VariableWindow
	// shrinks it with the rate, in proportion to the line rate.
	Window         sluice.Bytes
	VariableWindow bool
	// BaseRTT is the round-trip time of the longest path without queues: T of HPCC, unless
	// HPCC.RTT is set. Positive under hpcc.
	BaseRTT sluice.Time
	// Packet is the size of a full data packet on the wire, whose transmission time timely-pcn
	// takes off its samples. Not negative.
	Packet sluice.Bytes
	// Seed of the jitter of qcn.
	Seed uint64

	DCQCN     DCQCNConfig
	DCQCNHPCC DCQCNHPCCConfig
	Timely    TimelyConfig
	TimelyPCN TimelyPCNConfig
	HPCC      HPCCConfig
	QCN       QCNConfig
	DCTCP     DCTCPConfig
	IBCC      IBCCConfig
	PCN       PCNConfig
}

// DCQCNConfig has the constants of dcqcn, with the names of the paper in parentheses.
type DCQCNConfig struct {
	G             sluice.Ratio // gain of alpha (g)
	Alpha0        sluice.Ratio // alpha at the first notice
	AlphaTimer    sluice.Time  // alpha decays after this long without a notice (K)
	RateTimer     sluice.Time  // of increases (T)
	ByteCounter   sluice.Bytes // of increases (B)
	FastRecovery  int32        // steps (F)
	AI, HAI       sluice.Rate  // additive and hyper increase (R_AI, R_HAI)
	MinRate       sluice.Rate
	UpdateFirst   bool // alpha is updated before the cut, not after it
	Clamp         bool // a notice always sets the target to the rate
	ClampStages   bool // it does if a timer or byte stage has passed, not a byte stage only
	CapTarget     bool // the target is at most the line rate
	HalveInHyper  bool // timer and counter are halved in hyper increase
	HyperPastF    bool // hyper increase begins one step after both have had their F
	NoticeWindow  bool // the receiver looks once per interval, not at once
	NoticeSpacing sluice.Time
	NoticeShare   sluice.Ratio // of an interval's packets that must be marked; 0: one is enough
}

// DCQCNHPCCConfig has the constants of dcqcn-hpcc.
type DCQCNHPCCConfig struct {
	G                                        sluice.Ratio
	AlphaTimer, DecreaseTimer, IncreaseTimer sluice.Time
	FastRecovery                             int32
	AI, HAI                                  sluice.Rate
	MinRate                                  sluice.Rate
	FirstRate                                sluice.Ratio // of the rate, at the first notice
	Clamp                                    bool
}

// TimelyConfig has the constants of timely, with the names of the paper in parentheses.
type TimelyConfig struct {
	EWMA      sluice.Ratio // weight of a new difference (alpha)
	Beta      sluice.Ratio
	Low, High sluice.Time // thresholds (T_low, T_high)
	MinRTT    sluice.Time
	AI, HAI   sluice.Rate // delta, and delta in hyper-active increase
	HAIAfter  int32       // increases in a row before HAI
	MinRate   sluice.Rate
}

// TimelyPCNConfig has the constants of timely-pcn.
type TimelyPCNConfig struct {
	EWMA, Beta sluice.Ratio
	Low, High  sluice.Time
	MinRTT     sluice.Time
	Delta      sluice.Rate
	HAIFactor  int32 // of Delta (N), after HAIAfter falling samples in a row
	HAIAfter   int32
	MinRate    sluice.Rate
	Every      int32        // acknowledgements that one sample is taken from
	Burst      sluice.Bytes // sent at once; 0 for packet by packet
}

// HPCCConfig has the constants of hpcc, with the names of the paper in parentheses.
type HPCCConfig struct {
	Eta       sluice.Ratio // target utilisation
	AI        sluice.Rate  // W_AI as a rate
	MaxStage  int32        // additive increases in a row
	MinRate   sluice.Rate
	RTT       sluice.Time // base round-trip time (T); 0: Config.BaseRTT
	FastReact bool        // every acknowledgement changes the rate
	MultiRate bool        // a rate for each hop, and the least of them
	INTUnit   int32       // telemetry in units of 80 B of queue and 128 B sent times this; 0: exact
}

// QCNConfig has the constants of qcn, with the names of the standard in parentheses.
type QCNConfig struct {
	Gd           sluice.Ratio // rate lost a unit of feedback (rpgGd)
	MinDecrease  sluice.Ratio // of the rate, that one notice leaves at least (rpgMinDecFac)
	Timer        sluice.Time  // rpgTimeReset
	ByteCounter  sluice.Bytes // rpgByteReset
	FastRecovery int32        // rpgThreshold
	AI, HAI      sluice.Rate  // rpgAiRate, rpgHaiRate
	MinRate      sluice.Rate  // rpgMinRate
	Jitter       sluice.Ratio // share by which timer, counter and sampling vary
	Point        PointConfig
}

// PointConfig has the constants of a [CongestionPoint].
type PointConfig struct {
	Setpoint sluice.Bytes // Q_eq (cpQSp)
	Weight   sluice.Ratio // of the change of the queue (w)
	Base     sluice.Bytes // between two samples at least congestion (cpSampleBase)
	Jitter   sluice.Ratio
}

// DCTCPConfig has the constants of dctcp.
type DCTCPConfig struct {
	G, Alpha0 sluice.Ratio
	AI        sluice.Rate // a window
	MinRate   sluice.Rate
}

// IBCCConfig has the constants of ibcc, with the names of the standard in parentheses.
type IBCCConfig struct {
	Increase int32        // of the index, per notice (CCTI_Increase)
	Limit    int32        // largest index (CCTI_Limit)
	Min      int32        // least index (CCTI_Min)
	Timer    sluice.Time  // after which the index falls by one (CCTI_Timer)
	Step     sluice.Ratio // entry i of the table (CCT) is i times this
	// NoticeSpacing is the least time between the notices of a flow's receiver; with 0 every marked
	// packet is answered.
	NoticeSpacing sluice.Time
}

// PCNConfig has the constants of pcn, with the names of the paper in parentheses.
type PCNConfig struct {
	Period     sluice.Time // between notices (T)
	Share      sluice.Ratio
	WMin, WMax sluice.Ratio
	MinRate    sluice.Rate
}
