package sonic

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/qos"
)

// ofChip are the fields of pfc that come from a chip, or have no table at all: Update leaves them.
var ofChip = []string{
	"CellSize", "Seed", "Shares", "Pipeline", "PHY", "Overhead", "Reaction", "Watermarks", "Variant",
}

// readAgain reads the tables as they are written, and returns an error that names each difference
// from the configuration, unless a note does.
func (u *updater) readAgain(chip Chip) error {
	m, err := u.db.importer(chip)
	if err != nil {
		return fmt.Errorf("sonic: what is written cannot be read again: %w", err)
	}
	s, err := pfc.New(m.Config)
	if err != nil {
		return fmt.Errorf("sonic: what is written cannot be read again: %w", err)
	}
	again := s.Config()
	if len(again.Ports) != len(u.c.Ports) {
		return fmt.Errorf("sonic: PORT has %d ports, and the configuration %d", len(again.Ports),
			len(u.c.Ports))
	}
	ordered := again
	ordered.Ports = nil
	for _, name := range u.ports {
		at, is := m.index[name]
		if !is {
			return fmt.Errorf("sonic: PORT has no %s, or one without a speed", Printable(name))
		}
		ordered.Ports = append(ordered.Ports, again.Ports[at])
	}
	var all []string
	differences(reflect.ValueOf(normalized(u.c)), reflect.ValueOf(normalized(ordered)), "", &all)
	return u.excused(all)
}

// excused returns an error that names the paths that no note does. It notes the values that come
// from the chip.
func (u *updater) excused(all []string) error {
	noted := map[string]bool{}
	for _, n := range u.left {
		noted[n.Table] = true
	}
	var rest []string
	for _, path := range all {
		switch {
		case slices.ContainsFunc(ofChip, func(name string) bool { return hasField(path, name) }):
			u.note(path, "the chip's, or of no table")
		case !isNoted(noted, path):
			rest = append(rest, path)
		}
	}
	if len(rest) == 0 {
		return nil
	}
	const most = 5
	more := ""
	if len(rest) > most {
		more = fmt.Sprintf(" and %d more", len(rest)-most)
		rest = rest[:most]
	}
	return fmt.Errorf("sonic: what is written reads otherwise: %s%s", strings.Join(rest, ", "), more)
}

// hasField reports whether a path has a field at its end or on its way.
func hasField(path, name string) bool {
	return slices.ContainsFunc(strings.Split(path, "."), func(part string) bool {
		field, _, _ := strings.Cut(part, "[")
		return field == name
	})
}

// isNoted reports whether a note is of a path, or of a path that it is a part of.
func isNoted(noted map[string]bool, path string) bool {
	path = strings.ReplaceAll(path, "LossyReserve", "LossyAlpha")
	if noted["Groups"] && hasField(path, "Groups") {
		return true
	}
	for at := len(path); at > 0; at = strings.LastIndexAny(path[:at], ".[") {
		if noted[path[:at]] {
			return true
		}
	}
	return false
}

// normalized returns a filled configuration in which what means the same is equal.
func normalized(c pfc.Config) pfc.Config {
	if c.Buffer != 0 {
		c.Buffer -= c.SetApart() // the size of pool 0: reserves and headrooms are compared as such
	}
	c.Ports = slices.Clone(c.Ports)
	for i := range c.Ports {
		p := &c.Ports[i]
		rules := p.QoS.Clone()
		if rules == nil {
			rules = &qos.Port{}
		}
		queue, group, pauseQueue, pauseGroup := rules.Maps()
		rules.Queue, rules.Group = &queue, &group
		rules.PauseQueue, rules.PauseGroup = &pauseQueue, &pauseGroup
		rules.Lossy &= sluice.AllClasses
		rules.Ingress, rules.Egress = trimmed(rules.Ingress), trimmed(rules.Egress)
		p.QoS = rules
		p.Classes, p.Obeys = p.Classes&sluice.AllClasses, p.Obeys&sluice.AllClasses
		p.Sends &= sluice.AllClasses
		for class, own := range p.Profiles {
			used := p.Classes.Has(sluice.Class(class)) || rules.Lossy.Has(sluice.Class(class))
			if profile := p.Profile; own == nil && used {
				p.Profiles[class] = &profile
			} else if !used {
				p.Profiles[class] = nil
			}
		}
		p.Profile = pfc.Profile{}
		if p.Groups == nil {
			p.Groups = c.Groups
		}
		own := watchdogOf(&c, p)
		if p.Watchdog = &own; own.Detection == 0 {
			p.Watchdog = nil
		} else {
			own.Classes &= sluice.AllClasses
		}
	}
	c.Classes, c.Groups = 0, nil
	c.Watchdog.Detection, c.Watchdog.Restoration = 0, 0
	c.Watchdog.Action, c.Watchdog.Classes = 0, 0
	return c
}

func trimmed(limits []qos.Limit) []qos.Limit {
	for len(limits) > 0 && limits[len(limits)-1] == (qos.Limit{}) {
		limits = limits[:len(limits)-1]
	}
	return limits
}

// differences adds the paths at which two values differ.
func differences(want, got reflect.Value, path string, all *[]string) {
	if a, is := want.Interface().(sluice.Ratio); is {
		b := got.Interface().(sluice.Ratio)
		if a.Num*b.Den != b.Num*a.Den || (a.Den == 0) != (b.Den == 0) {
			*all = append(*all, path)
		}
		return
	}
	switch want.Kind() {
	case reflect.Struct:
		for i := range want.NumField() {
			name := path + "." + want.Type().Field(i).Name
			differences(want.Field(i), got.Field(i), strings.TrimPrefix(name, "."), all)
		}
	case reflect.Slice, reflect.Array:
		if want.Len() != got.Len() {
			*all = append(*all, path)
			return
		}
		for i := range want.Len() {
			differences(want.Index(i), got.Index(i), fmt.Sprintf("%s[%d]", path, i), all)
		}
	case reflect.Pointer:
		if want.IsNil() || got.IsNil() {
			if want.IsNil() != got.IsNil() {
				*all = append(*all, path)
			}
			return
		}
		differences(want.Elem(), got.Elem(), path, all)
	default:
		if !want.Equal(got) {
			*all = append(*all, path)
		}
	}
}
