package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/internal/enum"
	"github.com/sluicefc/sluice/internal/lab/hol"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/kit"
)

// bfcForm is a named set of choices; parameters override them.
type bfcForm struct {
	config bfc.Config // without ports
	// vfidsPerPort multiplies with the ports of a switch; 0: config.VFIDs, or what it stands for.
	vfidsPerPort int
	cardQueues   int
	paused       pausedQueues
	acksInside   bool  // acknowledgements are among the data, unless they have a class of their own
	acks         *bool // bfc.acks; nil: unset
}

// pausedQueues says whether a new flow may get an empty queue that downstream pauses.
type pausedQueues uint8

const (
	keptPaused      pausedQueues = iota
	forgottenPaused              // once no entry of the flow table names it
	freePaused
)

func (q pausedQueues) String() string {
	return enum.Name(q, "pausedQueues", "kept", "forgotten", "free")
}

func (form *bfcForm) parameters() []params.Field {
	c := &form.config
	return params.Checked(c, alone(c, bfc.New, &c.Ports, bfc.PortConfig{Link: anyLink}),
		params.Bind("bfc.queues", &c.Queues, "",
			"data queues of a switch port; unset: 31, 127 under bfc-128, 1023 under bfc-ideal").
			Range("1", "").As("UpstreamQueues"),
		params.Bind("bfc.nic.queues", &form.cardQueues, "1023",
			"queues of a host's network card, one for each flow").Range("1", "").As("Queues"),
		params.Bind("bfc.vfids", &c.VFIDs, "",
			"entries of the flow table of a switch port; unset: 7200, 3200 for each port of the "+
				"switch under bfc-pyrrha, 4 for each queue under bfc-ideal").Range("1", ""),
		params.Bind("bfc.index", &c.Index, "",
			"how a flow finds its entry of the flow table: by a hash of its own, or by the low bits of "+
				"the hash that it came with; unset: spread-hash"),
		params.Bind("bfc.factor", &c.Factor, "",
			"F of the pause threshold F x HRTT x rate / N_active; unset: 3/2, 1 under bfc-pyrrha").
			Range(">0", ""),
		params.Bind("bfc.sticky", &c.Sticky, "",
			"time an idle flow keeps its queue; unset: 6us, two HRTT under bfc-pyrrha").
			Zero(bfc.NoSticky),
		params.Bind("bfc.tau", &c.Period, "1us", "period of the bitmap").Range("1ns", ""),
		params.Bind("bfc.signalling", &c.Signalling, "",
			"pauses as frames on transitions, as periodic bitmaps, as both, or as periodic bitmaps "+
				"and a bitmap at once for a resume; unset: bitmap-resume-at-once, transitions under "+
				"bfc-pyrrha"),
		params.Bind("bfc.assignment", &c.Assignment, "",
			"queue of a new flow: a free queue by random scan, the lowest free queue, the queue that "+
				"its VFID hashes to, free or not, or the queue that became free last; unset: random-scan, "+
				"lowest-free under bfc-pyrrha"),
		params.Bind("bfc.overflow", &c.Overflow, "",
			"queue of a new flow if no queue is free: any, or the queue that its VFID hashes to; unset: "+
				"hash-queue, random-queue under bfc-pyrrha"),
		params.Bind("bfc.paused", &form.paused, "",
			"whether a new flow may get an empty queue that downstream pauses: never, once no entry "+
				"of the flow table names it, or always; unset: kept, forgotten under bfc-pyrrha"),
		params.Bind("bfc.lone", &c.CountLonePackets, "",
			"whether a flow's only packet at a port can pause its upstream queue; unset: exempt, "+
				"counted under bfc-pyrrha").Of("exempt", "counted"),
		params.Bind("bfc.scheduler", &c.Scheduler, "",
			"service of data queues: round robin by bytes (DRR) or by packets, or the lowest first; "+
				"unset: packet-round-robin, lowest-first under bfc-pyrrha"),
		params.Bind("bfc.acks", &form.acks, "",
			"acknowledgements in switches: in the control queue, which is served first and obeys no "+
				"pause, or among the data; unset: control, data under bfc-pyrrha without ack.class. "+
				"Network cards never pause them").Of("control", "data"),
		params.Bind("bfc.resumes", &c.ResumeLimit, "0",
			"upstream queues that one queue may resume in an HRTT; 0: no limit"),
	)
}

// authorsBFC is BFC as its authors' ns-3 code has it, with a number of data queues.
func authorsBFC(queues int) bfcForm {
	c := bfc.AuthorsConfig(nil)
	c.Queues = queues
	return bfcForm{config: c}
}

// idealBFC is BFC without collisions, with a number of data queues.
func idealBFC(queues int) bfcForm {
	form := authorsBFC(queues)
	form.config.Ideal, form.config.VFIDs = true, 0
	return form
}

// pyrrhaBFC is BFC as Pyrrha's ns-3 code has it, as published: it serves the lowest queue first.
func pyrrhaBFC() bfcForm {
	c := bfc.PyrrhaConfig(nil)
	c.VFIDs = 0
	return bfcForm{config: c, vfidsPerPort: bfc.VFIDsPerQueue * (c.Queues + 1), acksInside: true}
}

type bfcFleet struct {
	*plan
	form     *bfcForm
	switches []*bfc.Switch
}

func (form bfcForm) build(p *plan) (fleet, error) {
	p.bound = append(p.bound, form.fill(p.values))
	return &bfcFleet{plan: p, form: &form}, nil
}

func (form bfcForm) model(v *params.Values) hol.Strategy {
	form.fill(v)
	return hol.BFCDynamic(sluice.QueueID(form.config.Queues))
}

// fill sets the choices that parameters name, and returns these.
func (form *bfcForm) fill(v *params.Values) []params.Field {
	c, fields := &form.config, form.parameters()
	if c.AssignForgotten {
		form.paused = forgottenPaused
	}
	v.Fill(fields)
	c.AssignPaused, c.AssignForgotten = form.paused == freePaused, form.paused == forgottenPaused
	if c.VFIDs != 0 {
		form.vfidsPerPort = 0
	}
	if v.IsSet("ack.class") { // acknowledgements are outside then, unless bfc.acks says otherwise
		form.acksInside = false
	}
	if form.acks != nil {
		form.acksInside = *form.acks
	}
	return fields
}

func (f *bfcFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	config := f.switchConfig
	if f.isCard(node) {
		config = f.cardConfig
	}
	return kit.WrapNew(kept(&f.switches, bfc.New, config(node)))
}

// cardConfig configures a host's network card. Acknowledgements go through its control queue.
func (f *bfcFleet) cardConfig(node sluice.SwitchID) bfc.Config {
	c := bfc.HostConfig(f.graph.Nodes[node].Ports[0].Link)
	c.Queues = f.form.cardQueues
	c.Ports[0].UpstreamQueues = f.form.config.Queues
	c.Scheduler = f.form.config.Scheduler
	c.Signalling, c.Period = f.form.config.Signalling, f.form.config.Period
	if c.Scheduler == bfc.LowestFirst {
		c.Scheduler = bfc.PacketRoundRobin // cards of Pyrrha's code do go round
	}
	c.Classes = sluice.AllClasses &^ f.apart
	return f.common(c, node)
}

func (f *bfcFleet) switchConfig(node sluice.SwitchID) bfc.Config {
	c := f.form.config
	c.Buffer = f.buffer(node)
	for _, end := range f.graph.Nodes[node].Ports {
		upstream := c.Queues
		if f.isCard(end.Peer) {
			upstream = f.form.cardQueues
		}
		c.Ports = append(c.Ports, bfc.PortConfig{Link: end.Link, UpstreamQueues: upstream})
	}
	if f.form.vfidsPerPort > 0 {
		c.VFIDs = f.form.vfidsPerPort * len(c.Ports)
	}
	if !f.form.acksInside {
		c.Classes = sluice.AllClasses &^ f.apart
	}
	return f.common(c, node)
}

func (f *bfcFleet) common(c bfc.Config, node sluice.SwitchID) bfc.Config {
	c.Seed = f.seed + uint64(node)<<20
	c.MAC = MAC(node)
	c.Quantum = f.packet()
	return c
}

func (f *bfcFleet) report(r *sim.Result) {
	sum := summed(f.switches)
	r.Figure("times a flow joined a queue with packets of others", int64(sum.QueueCollisions))
	r.Figure("packets that met another flow's VFID entry", int64(sum.VFIDCollisions))
	if sum.TableOverflows > 0 {
		r.Note("bfc: %d packets found the exact flow table of their port full", sum.TableOverflows)
	}
	if sum.Pauses == 0 {
		r.Note("bfc never paused: no queue was over its threshold with a second packet of a flow in it")
	}
}
