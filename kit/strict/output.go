package strict

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// Output returns an output that hands all on to out, and overwrites the bytes of a frame as soon as
// SendFrame returns: who keeps them finds them spoilt. It is a [kit.Woken] if out is one.
func (c *Machine) Output(out kit.Output) kit.Output {
	if woken, ok := out.(kit.Woken); ok {
		return &wokenSpoiler{spoiler{out}, woken}
	}
	return &spoiler{out}
}

type wokenSpoiler struct {
	spoiler
	woken kit.Woken
}

func (s *wokenSpoiler) Woken(now sluice.Time, port sluice.PortID) { s.woken.Woken(now, port) }

type spoiler struct{ kit.Output }

// spoilt is the octet that takes the place of each octet of a frame that was sent.
const spoilt = 0xDB

func (s *spoiler) SendFrame(port sluice.PortID, frame []byte, kind string) {
	lent := append([]byte(nil), frame...)
	s.Output.SendFrame(port, lent, kind)
	for at := range lent {
		lent[at] = spoilt
	}
}
