package main

// #include "cgo.h"
import "C"

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

type machine struct {
	kit.Machine
	ports    C.uint16_t
	queues   int         // of each port
	overhead C.uint16_t  // of its frames
	hooks    []kit.Hooks // by port
	err      error       // the last
}

// owes reports whether a port may have a frame.
func (m *machine) owes(port C.uint16_t) bool {
	return m.hooks[port].Owes()
}

// known returns what C's calls want to know of a machine that was made.
func known(m kit.Machine, err error) (*machine, error) {
	if err != nil {
		return nil, err
	}
	hooks := make([]kit.Hooks, m.Ports())
	for port := range hooks {
		hooks[port] = kit.HooksOf(m, sluice.PortID(port))
	}
	return &machine{
		Machine: m, ports: C.uint16_t(m.Ports()), queues: m.Queues(),
		overhead: C.uint16_t(kit.FrameOverhead(m)), hooks: hooks,
	}, nil
}

//export go_machine_new
func go_machine_new(
	protocol, config *C.sluice_text, failure *C.sluice_error,
) C.sluice_machine {
	return C.sluice_machine(granted(&machines, failure, func() (*machine, error) {
		return known(newMachine(text(protocol), text(config)))
	}))
}

//export go_machine_free
func go_machine_free(m C.sluice_machine) C.int32_t { return freed(&machines, m) }

//export go_ports
func go_ports(handle C.sluice_machine) C.int32_t {
	return with(&machines, handle, func(m *machine) C.int32_t { return C.int32_t(m.ports) })
}

//export go_queues
func go_queues(handle C.sluice_machine) C.int32_t {
	return with(&machines, handle, func(m *machine) C.int32_t { return C.int32_t(m.queues) })
}

//export go_machine_error
func go_machine_error(handle C.sluice_machine, failure *C.sluice_error) C.int32_t {
	last := func(m *machine) error { return m.err }
	return inspected(&machines, handle, failure, C.SLUICE_E_INTERNAL, last)
}

//export go_reason
func go_reason(why C.uint8_t, to *C.char, size C.size_t) C.int64_t {
	return write(to, size, sluice.Reason(why).String())
}

//export go_audit
func go_audit(handle C.sluice_machine, failure *C.sluice_error) C.int32_t {
	return inspected(&machines, handle, failure, C.SLUICE_E_BROKEN, (*machine).Audit)
}

//export go_quiescent
func go_quiescent(handle C.sluice_machine, failure *C.sluice_error) C.int32_t {
	return inspected(&machines, handle, failure, C.SLUICE_E_BUSY, (*machine).Quiescent)
}

//export go_describe
func go_describe(handle C.sluice_machine, what C.int32_t, to *C.char, size C.size_t) C.int64_t {
	return with(&machines, handle, func(m *machine) C.int64_t {
		var s string
		err := guard(func() (err error) { s, err = describe(m.Machine, what); return err })
		if err != nil {
			m.err = err
			return C.int64_t(codeOf(err, C.SLUICE_E_INTERNAL))
		}
		return write(to, size, s)
	})
}

func describe(m kit.Machine, what C.int32_t) (string, error) {
	var s strings.Builder
	switch what {
	case C.SLUICE_DUMP:
		err := kit.Dump(&s, m.Snapshot())
		return s.String(), err
	case C.SLUICE_COUNTERS:
		return asJSON(countersOf(kit.Unwrap(m)))
	case C.SLUICE_SNAPSHOT:
		return asJSON(m.Snapshot(), true)
	case C.SLUICE_CONFIGURATION:
		return asJSON(call(kit.Unwrap(m), "Config"))
	}
	return "", errUnsupported
}

func asJSON(v any, ok bool) (string, error) {
	if !ok {
		return "", errUnsupported
	}
	b, err := json.Marshal(v)
	return string(b), err
}

type counted struct {
	Switch any
	Ports  []any
}

// countersOf returns what a protocol's switch and its ports count, in types of the protocol.
func countersOf(s any) (all counted, ok bool) {
	if all.Switch, ok = call(s, "Counters"); !ok {
		return all, false
	}
	port := reflect.ValueOf(s).MethodByName("Port")
	ports, _ := call(s, "Ports")
	n, _ := ports.(int)
	for i := range n {
		id := reflect.ValueOf(i).Convert(port.Type().In(0))
		counters, _ := call(port.Call([]reflect.Value{id})[0].Interface(), "Counters")
		all.Ports = append(all.Ports, counters)
	}
	return all, true
}

// call returns what a method without parameters returns; false if there is none.
func call(of any, name string) (result any, ok bool) {
	method := reflect.ValueOf(of)
	if !method.IsValid() {
		return nil, false
	}
	method = method.MethodByName(name)
	if !method.IsValid() || method.Type().NumIn() != 0 || method.Type().NumOut() == 0 {
		return nil, false
	}
	return method.Call(nil)[0].Interface(), true
}
