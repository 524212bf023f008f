package bfc

import "github.com/sluicefc/sluice/kit"

// wrap makes a switch a machine as package kit drives any.
func wrap(s *Switch) kit.Machine { return kit.Wrap[*Switch, *Port, Frame](s) }

var _ = wrap
