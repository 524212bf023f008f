package run

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice/internal/lab/fabric"
)

// takeSONiC takes over the configuration of SONiC that a request has: flows that are not lossless
// there get a class that is.
func (s *Subject) takeSONiC(r *Request) (err error) {
	if r.SONiC == nil {
		return nil
	}
	const fc = "pfc"
	if len(s.Protocols) == 0 {
		s.Protocols = []string{fc}
	}
	if !slices.Contains(s.Protocols, fc) {
		return fmt.Errorf("-sonic is for -fc %s, which is not among %v", fc, s.Protocols)
	}
	if s.SONiC, err = fabric.ImportSONiC(r.SONiC, s.Values); err != nil {
		return fmt.Errorf("-sonic %s: %w", r.SONiCFile, err)
	}
	class, err := fabric.LosslessClass(s.SONiC)
	if err != nil {
		return err
	}
	for i := range s.Flows {
		if !fabric.Lossless(s.SONiC, s.Flows[i].Class) {
			s.Flows[i].Class = class
		}
	}
	return nil
}
