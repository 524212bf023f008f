package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
)

// Routes is where packets go: a *hashpath.Network, whose nodes look addresses up, or a router of a
// node-centric network, which computes with them.
type Routes interface {
	// Path returns the rest of the way of a packet that is at a node, having come in by ingress,
	// the node's own egress port first. It ends at the destination, or after sluice.MaxHops hops,
	// and goes on from there. A status other than OK and TooLong says why there is none.
	Path(
		at sluice.SwitchID, ingress sluice.PortID, f *hashpath.Flow,
	) (sluice.Path, hashpath.Status)
	// Egress returns the first hop's port of Path; false if there is none.
	Egress(at sluice.SwitchID, ingress sluice.PortID, f *hashpath.Flow) (sluice.PortID, bool)
}

// failing is what Routes are besides whose links can fail.
type failing interface {
	FailLink(at sluice.Hop) error
	RestoreLink(at sluice.Hop) error
}

var _ failing = (*hashpath.Network)(nil)

// way asks the routes for a path, or chooses one; ok is false if there is none.
func (s *part) way(
	at sluice.SwitchID, ingress sluice.PortID, key *hashpath.Flow,
) (path sluice.Path, status hashpath.Status, ok bool) {
	if s.spread != nil {
		path, status = s.spreadFrom(at, ingress, key)
	} else {
		path, status = s.config.Network.Path(at, ingress, key)
	}
	return path, status, path.Len() > 0 && (status == hashpath.OK || status == hashpath.TooLong)
}
