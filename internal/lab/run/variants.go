package run

import (
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/params"
)

// Variant is a choice of parameters that a scenario compares with others: a congestion control, a
// detector.
type Variant struct {
	Name, Set string
	FC        string // the protocol that it is for; "" for all
}

type variantSubject struct {
	Variant
	subject *Subject
}

// Controls are variants that differ in the congestion control.
func Controls(names ...string) (v []Variant) {
	for _, name := range names {
		v = append(v, Variant{Name: name, Set: "cc=" + name})
	}
	return v
}

// prepareVariants builds the scenario once for each variant; not at all if the user has set a
// parameter of a variant.
func (s *Scenario) prepareVariants(
	parameters *params.Registry, r *Request,
) ([]*variantSubject, error) {
	for _, v := range s.Variants {
		if r.overrides(v) {
			return nil, nil
		}
	}
	var all []*variantSubject
	for _, v := range s.Variants {
		one := *s
		one.Variants, one.chosen = nil, v.Set
		subject, err := one.prepare(parameters, r)
		if err != nil {
			return nil, err
		}
		if v.FC != "" {
			subject.Protocols = []string{v.FC}
		}
		all = append(all, &variantSubject{v, subject})
	}
	return all, nil
}

// Chosen is what the variant sets that the subject is of, "" for none.
func (s *Subject) Chosen() string { return s.chosen }

// overrides reports whether the user has set a parameter of a variant.
func (r *Request) overrides(v Variant) bool {
	for _, assignment := range strings.Split(v.Set, ",") {
		name, _, _ := strings.Cut(assignment, "=")
		for _, list := range r.Set {
			for _, own := range strings.Split(list, ",") {
				if set, _, _ := strings.Cut(own, "="); strings.TrimSpace(set) == name {
					return true
				}
			}
		}
	}
	return false
}

type trial struct {
	Label   string // of its outcome: the protocol, and the variant
	FC      string
	Subject *Subject
}

// Trials returns the runs of a comparison: protocol by protocol, each with all its variants, or
// alone if it has no variant.
func (s *Subject) Trials() (all []trial) {
	for _, fc := range s.Protocols {
		before := len(all)
		for _, v := range s.Variants {
			if v.FC == "" || v.FC == fc {
				all = append(all, trial{s.label(fc, v), fc, v.subject})
			}
		}
		if len(all) == before {
			all = append(all, trial{fc, fc, s})
		}
	}
	return all
}

// label names a protocol with a variant: by the variant alone where there is one protocol.
func (s *Subject) label(fc string, v *variantSubject) string {
	if len(s.Protocols) == 1 && v.Name != "" {
		return v.Name
	}
	return strings.TrimSpace(fc + " " + v.Name)
}

func (s *Subject) Compares(label string) bool {
	return slices.ContainsFunc(s.Trials(), func(t trial) bool { return t.Label == label })
}

func (s *Subject) Trial(label string) trial {
	all := s.Trials()
	return all[slices.IndexFunc(all, func(t trial) bool { return t.Label == label })]
}

// Built visits the values of every variant, with its name, or of the subject itself, with none.
func (s *Subject) Built(visit func(name string, v *params.Values)) {
	if len(s.Variants) == 0 {
		visit("", s.Values)
	}
	for _, v := range s.Variants {
		visit(v.Name, v.subject.Values)
	}
}
