package main

// #include "cgo.h"
import "C"

import (
	"github.com/sluicefc/sluice"
	simulated "github.com/sluicefc/sluice/kit/network"
)

//export go_simulator_new
func go_simulator_new(
	topology, protocol, set *C.sluice_text, class C.uint8_t, seed C.uint64_t,
	failure *C.sluice_error,
) C.sluice_simulator {
	return C.sluice_simulator(granted(&simulators, failure, func() (*simulated.Network, error) {
		return simulated.New(simulated.Config{
			Topology: text(topology), Protocol: text(protocol), Settings: []string{text(set)},
			Class: sluice.Class(class), Seed: uint64(seed),
		})
	}))
}

//export go_simulator_free
func go_simulator_free(s C.sluice_simulator) C.int32_t { return freed(&simulators, s) }

//export go_simulator_send
func go_simulator_send(
	handle C.sluice_simulator, src, dst C.uint32_t, bytes C.int64_t, tag C.uint64_t,
	failure *C.sluice_error,
) C.int64_t {
	var number simulated.MessageID
	code := simulating(handle, failure, C.SLUICE_E_ARGUMENT, func(n *simulated.Network) (err error) {
		number, err = n.Send(
			sluice.SwitchID(src), sluice.SwitchID(dst), sluice.Bytes(bytes), uint64(tag))
		return err
	})
	if code < 0 {
		return C.int64_t(code)
	}
	return C.int64_t(number)
}

//export go_simulator_schedule
func go_simulator_schedule(
	handle C.sluice_simulator, after C.sluice_time, tag C.uint64_t,
) C.int32_t {
	return simulating(handle, nil, C.SLUICE_E_ARGUMENT, func(n *simulated.Network) error {
		return n.Schedule(sluice.Time(after), uint64(tag))
	})
}

//export go_simulator_next
func go_simulator_next(
	handle C.sluice_simulator, until C.sluice_time, into *C.sluice_event, failure *C.sluice_error,
) C.int32_t {
	happened := false
	code := simulating(handle, failure, C.SLUICE_E_BUSY, func(n *simulated.Network) error {
		if into == nil {
			return errNull
		}
		e, ok, err := n.Next(sluice.Time(until))
		if happened = ok; ok {
			*into = C.sluice_event{
				at: C.sluice_time(e.At), tag: C.uint64_t(e.Tag), kind: C.int32_t(e.Kind),
				src: C.uint32_t(e.Src), dst: C.uint32_t(e.Dst), message: C.int64_t(e.Message),
				bytes: C.int64_t(e.Bytes), start: C.sluice_time(e.Start),
			}
		}
		return err
	})
	if code < 0 {
		return code
	}
	return truth(happened)
}

//export go_simulator_now
func go_simulator_now(handle C.sluice_simulator) C.sluice_time {
	return with(&simulators, handle, func(n *simulated.Network) C.sluice_time {
		return C.sluice_time(n.Now())
	})
}

//export go_simulator_under_way
func go_simulator_under_way(handle C.sluice_simulator) C.int64_t {
	return with(&simulators, handle, func(n *simulated.Network) C.int64_t {
		return C.int64_t(n.UnderWay())
	})
}

//export go_simulator_counted
func go_simulator_counted(
	handle C.sluice_simulator, to *C.sluice_simulator_counters,
) C.int32_t {
	return simulating(handle, nil, C.SLUICE_E_ARGUMENT, func(n *simulated.Network) error {
		if to == nil {
			return errNull
		}
		c := n.Counters()
		*to = C.sluice_simulator_counters{
			dropped: C.int64_t(c.Dropped), lost_on_wire: C.int64_t(c.LostOnWire),
			reordered: C.int64_t(c.Reordered), marked: C.int64_t(c.Marked),
			timeouts: C.int64_t(c.Timeouts), control_frames: C.int64_t(c.ControlFrames),
			packet_hops: C.int64_t(c.PacketHops),
		}
		return nil
	})
}

// simulating does something with the network that a handle names, and reports why it does not work.
func simulating(
	handle C.sluice_simulator, failure *C.sluice_error, other C.int32_t,
	do func(*simulated.Network) error,
) C.int32_t {
	return report(failure, guard(func() error {
		n := simulators.get(uint64(handle))
		if n == nil {
			return errHandle
		}
		return do(n)
	}), other)
}
