package main

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/capi/internal/settings"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tcd/cbfc"
)

// makers make machines of configurations, by the names of sluice.h.
var makers = map[string]func(config string) (kit.Machine, error){
	"pfc":      maker(pfc.New, nil),
	"pfc-host": maker(pfc.New, card(pfc.HostConfig)),
	"bfc":      maker(bfc.New, nil),
	"bfc-authors": maker(bfc.New, func(c bfc.Config) (bfc.Config, error) {
		return bfc.AuthorsConfig(c.Ports), nil
	}),
	"bfc-pyrrha": maker(bfc.New, func(c bfc.Config) (bfc.Config, error) {
		return bfc.PyrrhaConfig(c.Ports), nil
	}),
	"bfc-host":    maker(bfc.New, card(bfc.HostConfig)),
	"ofc":         maker(ofc.New, nil),
	"ofc-host":    maker(ofc.New, card(ofc.HostConfig)),
	"pyrrha":      maker(pyrrha.New, nil),
	"pyrrha-host": maker(pyrrha.New, card(pyrrha.HostConfig)),
	"portfc":      maker(portfc.New, nil),
	"cbfc":        maker(cbfc.New, nil),
	"cbfc-host":   maker(cbfc.New, card(cbfc.HostConfig)),
}

// newMachine returns the machine of a protocol by its name in sluice.h.
func newMachine(protocol, config string) (kit.Machine, error) {
	if make, ok := makers[protocol]; ok {
		return make(config)
	}
	return nil, fmt.Errorf("protocol %q: must be one of %s", protocol,
		strings.Join(names(makers), ", "))
}

// maker returns a function that makes machines of a protocol. A form, if there is one, is the
// configuration that text changes, made of the ports that text describes.
func maker[
	C any, S kit.Switch[P, F, K, N], P kit.Port[F, K], F any, FP kit.Frame[F], K kit.Common, N any,
](
	build func(C) (S, error), form func(C) (C, error),
) func(string) (kit.Machine, error) {
	return func(text string) (kit.Machine, error) {
		var config C
		if err := settings.Apply(&config, text); err != nil {
			return nil, err
		}
		if form != nil {
			var err error
			if config, err = form(config); err != nil {
				return nil, err
			}
			if err := settings.Apply(&config, text); err != nil {
				return nil, err
			}
		}
		s, err := build(config)
		if err != nil {
			return nil, err
		}
		return kit.Wrap[S, P, F, FP, K, N](s), nil
	}
}

// card is the form of a network card: its one port is described by its Link.
func card[C any](host func(sluice.Link) C) func(C) (C, error) {
	return func(c C) (C, error) {
		ports := reflect.ValueOf(c).FieldByName("Ports")
		if n := ports.Len(); n != 1 {
			return c, fmt.Errorf("a network card has one port, not %d: set Ports[0].Link", n)
		}
		return host(ports.Index(0).FieldByName("Link").Interface().(sluice.Link)), nil
	}
}
