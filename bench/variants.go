package main

import (
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/params"
)

// variant is a choice of parameters that a scenario compares with others: a congestion control, a
// detector.
type variant struct {
	name, set string
	fc        string // the protocol that it is for; "" for all
}

// variantSubject is a scenario that was built with the parameters of a variant.
type variantSubject struct {
	variant
	subject *subject
}

// controls are variants that differ in the congestion control.
func controls(names ...string) (v []variant) {
	for _, name := range names {
		v = append(v, variant{name: name, set: "cc=" + name})
	}
	return v
}

// prepareVariants builds the scenario once for each variant; none if the user has set one of their
// parameters.
func (s *scenario) prepareVariants(
	parameters *params.Registry, r *request,
) ([]*variantSubject, error) {
	for _, v := range s.variants {
		if r.overrides(v) {
			return nil, nil
		}
	}
	var all []*variantSubject
	for _, v := range s.variants {
		one := *s
		one.variants, one.chosen = nil, v.set
		subject, err := one.prepare(parameters, r)
		if err != nil {
			return nil, err
		}
		if v.fc != "" {
			subject.protocols = []string{v.fc}
		}
		all = append(all, &variantSubject{v, subject})
	}
	return all, nil
}

// overrides reports whether the user has set a parameter of a variant.
func (r *request) overrides(v variant) bool {
	for _, assignment := range strings.Split(v.set, ",") {
		name, _, _ := strings.Cut(assignment, "=")
		for _, list := range r.set {
			for _, own := range strings.Split(list, ",") {
				if set, _, _ := strings.Cut(own, "="); strings.TrimSpace(set) == name {
					return true
				}
			}
		}
	}
	return false
}

// trial is one run of a comparison.
type trial struct {
	label   string // of its outcome: the protocol, and the variant
	fc      string
	subject *subject
}

// trials returns the runs of a comparison: protocol by protocol, each with all its variants, or as
// it is if it has none.
func (s *subject) trials() (all []trial) {
	for _, fc := range s.protocols {
		before := len(all)
		for _, v := range s.variants {
			if v.fc == "" || v.fc == fc {
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
func (s *subject) label(fc string, v *variantSubject) string {
	if len(s.protocols) == 1 && v.name != "" {
		return v.name
	}
	return strings.TrimSpace(fc + " " + v.name)
}

// trial returns the run of a label.
func (s *subject) trial(label string) trial {
	all := s.trials()
	return all[slices.IndexFunc(all, func(t trial) bool { return t.label == label })]
}
