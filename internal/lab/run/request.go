package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/pfc/sonic"
)

// Request is what a user asks of a scenario; the zero Request is the scenario as it is, for the
// seed 0.
type Request struct {
	Protocols []string  // nil: the scenario's
	Set       []string  // assignments of parameters; a parameter's last assignment counts
	Traffic   []Traffic // beside the scenario's own
	Seed      uint64
	Until     sluice.Time // 0: the scenario's
	Failures  Failures
	Incast    []sluice.SwitchID // hosts; flows to them are the incast
	Schedules []string          // jobs beside the flows, in the syntax of -schedule
	Watch     WatchRequest
	// SONiC, if set, is the configuration of every switch under "pfc", SONiCFile the name of its file.
	// Flows of a class that is not lossless there get a class that is.
	SONiC     *sonic.DB
	SONiCFile string
}

// Note says what a scenario leaves open, or why it differs from the paper. With a change it names a
// run that confirms the reason, or that was tried in vain: the claims are measured on that run too.
type Note struct {
	Text string
	// Open names what the paper does not give: "load", "sizes", "duration". A run gives it otherwise
	// than the scenario, and a claim that the run moves hangs on it, and its verdict says so. Of a
	// note without a run nothing is known of how far it moves anything.
	Open          string
	Set           string      // beside the scenario's own settings
	Protocols     []string    // nil: the scenario's
	Until, WarmUp sluice.Time // 0: the scenario's
}

// Tried reports whether the note is of another run than the scenario's own.
func (n *Note) Tried() bool { return n.Set != "" || n.Until != 0 || n.WarmUp != 0 }

// Request asks for the run of the note.
func (n *Note) Request(seed uint64) Request {
	r := Request{
		Seed: seed, Protocols: n.Protocols, Until: n.Until, Watch: WatchRequest{WarmUp: n.WarmUp},
	}
	if n.Set != "" {
		r.Set = []string{n.Set}
	}
	return r
}

// DefaultSeed is the seed where the user gives none.
const DefaultSeed = 1

// Changes returns what the request changes of a scenario, as flags. They decide the result beside
// the protocols and the seed; watching changes nothing.
func (r *Request) Changes() (flags []string) {
	add := func(flag, value string) {
		if value != "" {
			flags = append(flags, "-"+flag+" "+value)
		}
	}
	add("set", strings.Join(r.Set, ","))
	for _, t := range r.Traffic {
		add("traffic", t.text)
	}
	add("sonic", r.SONiCFile)
	for _, job := range r.Schedules {
		add("schedule", job)
	}
	add("incast", strings.Trim(strings.ReplaceAll(fmt.Sprint(r.Incast), " ", ","), "[]"))
	add("fail", strings.Join(r.Failures.Words(), ","))
	if r.Until != 0 {
		add("until", r.Until.String())
	}
	if r.Watch.WarmUp != 0 {
		add("warmup", r.Watch.WarmUp.String())
	}
	return flags
}

type Failures []sim.Failure

func (l Failures) Words() []string {
	words := make([]string, len(l))
	for i, f := range l {
		words[i] = fmt.Sprintf("%v@%v", f.At, f.Down)
		if f.Up > 0 {
			words[i] += fmt.Sprintf("-%v", f.Up)
		}
	}
	return words
}

// checkFailures refuses links that are not there, and two failures of one link at a time: the first
// repair would end both.
func (s *Subject) checkFailures(failures Failures) error {
	for i, f := range failures {
		if err := s.CheckPort("-fail", f.At); err != nil {
			return err
		}
		end := &s.Graph.Nodes[f.At.Switch].Ports[f.At.Port]
		for j, other := range failures[:i] {
			sameLink := f.At == other.At ||
				other.At == sluice.Hop{Switch: end.Peer, Port: end.PeerPort}
			if sameLink && (f.Up == 0 || other.Down < f.Up) && (other.Up == 0 || f.Down < other.Up) {
				words := failures.Words()
				return fmt.Errorf("-fail %s: the link is down then already, by %s", words[i], words[j])
			}
		}
	}
	return nil
}

// takeSONiC takes over the configuration of SONiC that a request has: flows whose class is not
// lossless there get a class that is.
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
