package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
)

// options are the flags. Those with a name in JSON are kept beside the files, so that a later
// invocation can make them again.
type options struct {
	Protocol string   `json:"protocol"`
	Set      []string `json:"set,omitempty"`
	Switch   string   `json:"switch"`
	Seed     uint64   `json:"seed"`

	topology, ports    string // files
	compiled           string // a file
	out                string
	realise            bool
	check, diff        string
	fail               []sluice.Hop
	network, portTable []byte // what the files say
	schema             []byte
}

// parse reads the flags.
func parse(args []string) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("tofinogen", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.Protocol, "protocol", "", "")
	f.Func("set", "", func(s string) error { o.Set = append(o.Set, s); return nil })
	f.StringVar(&o.Switch, "switch", "edge", "")
	f.Uint64Var(&o.Seed, "seed", 1, "")
	f.StringVar(&o.topology, "topology", "", "")
	f.StringVar(&o.ports, "ports", "", "")
	f.StringVar(&o.compiled, "compiled", "", "")
	f.StringVar(&o.out, "o", "", "")
	f.BoolVar(&o.realise, "realise", false, "")
	f.StringVar(&o.check, "check", "", "")
	f.StringVar(&o.diff, "diff", "", "")
	f.Func("fail", "", o.addFailures)
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil, err
	} else if err != nil {
		return nil, usageError{err}
	}
	given := map[string]bool{}
	f.Visit(func(one *flag.Flag) { given[one.Name] = true })
	return o, o.validate(given, f.Args())
}

// validate refuses flags that do not go together.
func (o *options) validate(given map[string]bool, rest []string) error {
	alone := func(mode string, allowed ...string) error {
		for name := range given {
			if name != mode && !strings.Contains(" "+strings.Join(allowed, " ")+" ", " "+name+" ") {
				return usagef("-%s and -%s do not go together", mode, name)
			}
		}
		return nil
	}
	switch {
	case len(rest) > 0:
		return usagef("%q is not a flag", rest[0])
	case o.check != "":
		return alone("check")
	case o.diff != "":
		if len(o.fail) == 0 {
			return usagef("-diff needs -fail SWITCH:PORT,..., the links that fail")
		}
		return alone("diff", "fail")
	case len(o.fail) > 0:
		return usagef("-fail goes with -diff")
	case o.Protocol == "":
		return usagef("-protocol is missing: one of %s", protocolNames())
	}
	return o.read()
}

// addFailures reads links, as 160:3,161:0.
func (o *options) addFailures(s string) error {
	for _, item := range strings.Split(s, ",") {
		node, port, _ := strings.Cut(strings.TrimSpace(item), ":")
		n, err := strconv.ParseUint(node, 10, 32)
		p, portErr := strconv.ParseUint(port, 10, 16)
		if err != nil || portErr != nil {
			return fmt.Errorf("%q is not a port: write SWITCH:PORT, as 160:3", item)
		}
		o.fail = append(o.fail, sluice.Hop{Switch: sluice.SwitchID(n), Port: sluice.PortID(p)})
	}
	return nil
}

// read reads the files that the flags name.
func (o *options) read() (err error) {
	for _, file := range []struct {
		name string
		text *[]byte
	}{{o.topology, &o.network}, {o.ports, &o.portTable}, {o.compiled, &o.schema}} {
		if file.name != "" {
			if *file.text, err = readFile(file.name); err != nil {
				return usageError{err}
			}
		}
	}
	return nil
}
