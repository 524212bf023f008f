package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/internal/lab/hol"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/kit"
)

var bfcParameters = []params.Definition{
	{Name: "bfc.queues", Kind: params.Int, Default: "", Min: "2", Max: "4093", Section: "bfc",
		Doc: "data queues of a switch port; unset: 31, 127 under bfc-128, 1023 under bfc-ideal"},
	{Name: "bfc.nic.queues", Kind: params.Int, Default: "1023", Min: "2", Max: "4093", Section: "bfc",
		Doc: "queues of a host's network card, one for each flow"},
	{Name: "bfc.vfids", Kind: params.Int, Default: "", Min: "1", Max: "16777216", Section: "bfc",
		Doc: "entries of the flow table of a switch port; unset: 7200, 3200 for each port of the " +
			"switch under bfc-pyrrha, 4 for each queue under bfc-ideal"},
	{Name: "bfc.factor", Kind: params.Rational, Default: "", Min: "1/100", Max: "100", Section: "bfc",
		Doc: "F of the pause threshold F x HRTT x rate / N_active; unset: 3/2, 1 under bfc-pyrrha"},
	{Name: "bfc.sticky", Kind: params.Time, Default: "", Section: "bfc",
		Doc: "time an idle flow keeps its queue; unset: 6us, two HRTT under bfc-pyrrha"},
	{Name: "bfc.tau", Kind: params.Time, Default: "1us", Min: "1ns", Section: "bfc",
		Doc: "period of the bitmap"},
	{Name: "bfc.signalling", Kind: params.Choice, Default: "", Section: "bfc",
		Choices: []string{"both", "transitions", "bitmap", "bitmap-resume"},
		Doc: "pauses as frames on transitions, as periodic bitmaps, as both, or as periodic bitmaps " +
			"with one at once for a resume; unset: bitmap-resume, transitions under bfc-pyrrha"},
	{Name: "bfc.assignment", Kind: params.Choice, Default: "", Section: "bfc",
		Choices: []string{"random", "lowest", "hash"},
		Doc: "queue of a new flow: a free one by random scan, the lowest free one, or the one its VFID " +
			"hashes to, free or not; unset: random, lowest under bfc-pyrrha"},
	{Name: "bfc.overflow", Kind: params.Choice, Default: "", Choices: []string{"random", "hash"},
		Section: "bfc",
		Doc: "queue of a new flow if none is free: any, or the one its VFID hashes to; unset: hash, " +
			"random under bfc-pyrrha"},
	{Name: "bfc.paused", Kind: params.Choice, Default: "",
		Choices: []string{"kept", "forgotten", "free"}, Section: "bfc",
		Doc: "whether a new flow may get an empty queue that downstream pauses: never, once no entry " +
			"of the flow table names it, or always; unset: kept, forgotten under bfc-pyrrha"},
	{Name: "bfc.lone", Kind: params.Choice, Default: "", Choices: []string{"exempt", "counted"},
		Section: "bfc",
		Doc: "whether a flow's only packet at a port can pause its upstream queue; unset: exempt, " +
			"counted under bfc-pyrrha"},
	{Name: "bfc.scheduler", Kind: params.Choice, Default: "", Section: "bfc",
		Choices: []string{"bytes", "packets", "lowest"},
		Doc: "service of data queues: round robin by bytes (DRR) or by packets, or the lowest first; " +
			"unset: packets, lowest under bfc-pyrrha"},
	{Name: "bfc.acks", Kind: params.Choice, Default: "", Choices: []string{"control", "data"},
		Section: "bfc",
		Doc: "acknowledgements in switches: in the control queue, which is served first and obeys no " +
			"pause, or among the data; unset: control, data under bfc-pyrrha without ack.class. Network " +
			"cards never pause them"},
	{Name: "bfc.resumes", Kind: params.Int, Default: "0", Section: "bfc",
		Doc: "upstream queues that one queue may resume in an HRTT; 0: no limit"},
}

// bfcForm is a named set of choices, each of which a parameter overrides.
type bfcForm struct {
	config bfc.Config // without ports
	// vfidsPerPort multiplies with the ports of a switch; 0: config.VFIDs, or what it stands for.
	vfidsPerPort int
	acksInside   bool // bfc.acks: data
}

// authorsBFC is BFC as its authors' ns-3 code has it, with so many data queues.
func authorsBFC(queues int) bfcForm {
	c := bfc.AuthorsConfig(nil)
	c.Queues = queues
	return bfcForm{config: c}
}

// idealBFC is the same without collisions.
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

// bfcFleet is a network of bfc switches and cards.
type bfcFleet struct {
	*plan
	form     bfcForm
	switches []*bfc.Switch
}

// buildBFC returns the builder of a form.
func buildBFC(form bfcForm) func(*plan) fleet {
	return func(p *plan) fleet {
		return &bfcFleet{plan: p, form: form.with(p.values)}
	}
}

// modelBFC returns the model of a form.
func modelBFC(form bfcForm) func(*params.Values) hol.Strategy {
	return func(v *params.Values) hol.Strategy {
		return hol.BFCDynamic(sluice.QueueID(form.with(v).config.Queues))
	}
}

// with returns the form with the choices that parameters name.
func (form bfcForm) with(v *params.Values) bfcForm {
	c := &form.config
	if v.IsSet("bfc.queues") {
		c.Queues = int(v.Int("bfc.queues"))
	}
	if v.IsSet("bfc.vfids") {
		c.VFIDs, form.vfidsPerPort = int(v.Int("bfc.vfids")), 0
	}
	if v.IsSet("bfc.factor") {
		c.Factor = ratio(v, "bfc.factor")
	}
	if v.IsSet("bfc.sticky") {
		if c.Sticky = v.Time("bfc.sticky"); c.Sticky == 0 {
			c.Sticky = bfc.NoSticky
		}
	}
	c.Period = v.Time("bfc.tau")
	c.ResumeLimit = int(v.Int("bfc.resumes"))
	choose(v, "bfc.signalling", &c.Signalling, map[string]bfc.Signalling{
		"both": bfc.TransitionsAndBitmap, "transitions": bfc.Transitions,
		"bitmap": bfc.PeriodicBitmap, "bitmap-resume": bfc.BitmapResumeAtOnce,
	})
	choose(v, "bfc.assignment", &c.Assignment, map[string]bfc.Assignment{
		"random": bfc.RandomScan, "lowest": bfc.LowestFree, "hash": bfc.StaticHash,
	})
	choose(v, "bfc.overflow", &c.Overflow, map[string]bfc.Overflow{
		"random": bfc.RandomQueue, "hash": bfc.HashQueue,
	})
	choose(v, "bfc.paused", &c.AssignPaused, map[string]bool{"kept": false, "forgotten": false,
		"free": true})
	choose(v, "bfc.paused", &c.AssignForgotten, map[string]bool{"kept": false, "forgotten": true,
		"free": false})
	choose(v, "bfc.lone", &c.CountLonePackets, map[string]bool{"exempt": false, "counted": true})
	choose(v, "bfc.scheduler", &c.Scheduler, map[string]bfc.Scheduler{
		"bytes": bfc.DeficitRoundRobin, "packets": bfc.PacketRoundRobin, "lowest": bfc.LowestFirst,
	})
	if v.IsSet("ack.class") { // a class of their own is outside, unless bfc.acks says otherwise
		form.acksInside = false
	}
	choose(v, "bfc.acks", &form.acksInside, map[string]bool{"control": false, "data": true})
	return form
}

// choose sets a choice to what a parameter names, if that is set.
func choose[T any](v *params.Values, name string, choice *T, names map[string]T) {
	if v.IsSet(name) {
		*choice = names[v.String(name)]
	}
}

func (f *bfcFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	config := f.switchConfig
	if f.isCard(node) {
		config = f.cardConfig
	}
	s, err := bfc.New(config(node))
	if err != nil {
		return nil, err
	}
	f.switches = append(f.switches, s)
	return kit.Wrap(s), nil
}

// cardConfig is a host's network card. Acknowledgements go through its control queue.
func (f *bfcFleet) cardConfig(node sluice.SwitchID) bfc.Config {
	c := bfc.HostConfig(f.graph.Nodes[node].Ports[0].Link)
	c.Queues = int(f.values.Int("bfc.nic.queues"))
	c.Ports[0].UpstreamQueues = f.form.config.Queues
	c.Scheduler = f.form.config.Scheduler
	c.Signalling, c.Period = f.form.config.Signalling, f.form.config.Period
	if c.Scheduler == bfc.LowestFirst {
		c.Scheduler = bfc.PacketRoundRobin // cards of that code do go round
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
			upstream = int(f.values.Int("bfc.nic.queues"))
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

// common sets what switches and cards share.
func (f *bfcFleet) common(c bfc.Config, node sluice.SwitchID) bfc.Config {
	c.Seed = f.seed + uint64(node)<<20
	c.MAC = MAC(node)
	c.Quantum = f.packet()
	return c
}

func (f *bfcFleet) report(r *sim.Result) {
	var pauses, collisions, vfids, shared uint64
	for _, s := range f.switches {
		c := s.Counters()
		pauses += c.Pauses
		collisions += c.QueueCollisions
		vfids += c.VFIDCollisions
		shared += c.TableOverflows
	}
	r.Figure("times a flow joined a queue with packets of others", int64(collisions))
	r.Figure("packets that met another flow's VFID entry", int64(vfids))
	if shared > 0 {
		r.Note("bfc: %d packets found the exact flow table of their port full", shared)
	}
	if pauses == 0 {
		r.Note("bfc never paused: no queue was over its threshold with a second packet of a flow in it")
	}
}
