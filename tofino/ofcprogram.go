package tofino

import (
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/tofino/ir"
)

// ofcBridgeOctets is the length of the header that data has inside the chip.
const ofcBridgeOctets = 22

// ofcBuilder is a program under construction.
type ofcBuilder struct {
	builder
	full ofc.Config
}

// program makes the program of programs/ofc.txt.
func (b *ofcBuilder) program() error {
	err := b.read("ofc", map[string]int{
		"pause": int(ofc.Pause), "resume": int(ofc.Resume), "signal_queue": b.signals(),
		"cell_bits":       bits.Len(uint(b.full.Flows/(2*sluice.Classes) - 1)),
		"undistinguished": bit(b.full.Undistinguished), "round_port": int(b.roundPort())})
	if err == nil {
		b.parsers()
	}
	return err
}

// parsers make the parsers.
func (b *ofcBuilder) parsers() {
	notice, moved := b.state("notice", "bridge", "cut"), b.state("moved", "bridge")
	order, ordered := b.state("order", "order", "cut"), b.state("ordered", "order", "cut")
	bridged := b.state("bridged", "bridge")
	round := &ir.State{Name: "round", Select: ir.Peek(8), Refuse: true, Cases: []ir.Case{
		b.ofKind("NOTICE", notice), b.ofKind("MOVED", moved),
		{Value: ir.Uint(0), Mask: ir.Uint(0xC0), Next: b.state("timer", "timer")}}}
	inside := []ir.Case{b.ofKind("DATA", bridged), b.ofKind("NOTICE", bridged),
		b.ofKind("MOVED", bridged)}
	for _, kind := range []string{"WALK", "REPEAL", "TELL", "TOLD", "ORDER_MARK", "ENDED", "NEXT",
		"OPEN", "SIGNAL"} {
		round.Cases = append(round.Cases, b.ofKind(kind, order))
		inside = append(inside, b.ofKind(kind, ordered))
	}
	b.parse(round, b.packets(b.frameStates(), b.ipState()), inside...)
}

// frameStates parse a frame of one flow, or of a whole class, to the octet: what the machine would
// refuse is refused.
func (b *ofcBuilder) frameStates() *ir.State {
	end := b.zeros(nil, "padding")
	flow := b.state("flow", "flow")
	flow.Default = end
	all := only("all_flow_low", b.src.Field("flow.flow_low"), 0, end)
	all.Extract = flow.Extract
	// subject goes on if class, list and count, which come next, are among those that are listed.
	subject := func(name string, next *ir.State, lists ...int) *ir.State {
		taken := b.state(name+"_subject", "subject")
		taken.Default = b.zeros(next, "series")
		s := &ir.State{Name: name, Select: ir.Peek(32), Refuse: true}
		for _, list := range lists {
			s.Cases = append(s.Cases, ir.Case{Value: ir.Uint(uint64(list)),
				Mask: ir.Uint(0xF8FFFFFF), Next: taken})
		}
		return s
	}
	whole := subject("whole", only("all_flows", ir.Peek(32), 0, all), b.number("flag_all")<<16)
	body := uint64(b.number("body"))
	sized := func(name string, one *ir.State) *ir.State {
		s := b.selects(b.state(name, "signal"), "signal.length", sameAs(body, 16, whole),
			sameAs(body+uint64(b.number("flow_octets")), 16, one))
		s.Refuse = true
		return s
	}
	return frames(
		b.frameOf("PAUSE", sized("pause", subject("one", flow, 1))),
		b.frameOf("RESUME",
			sized("resume", subject("one_or_last", flow, 1, b.number("flag_last")<<16|1))))
}
