package main

// #include "cgo.h"
import "C"

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/capi/internal/settings"
	"github.com/sluicefc/sluice/pcn"
	"github.com/sluicefc/sluice/tcd"
)

type marker struct{ detector }

// detector is what every congestion detector offers.
type detector interface {
	Resumed(now sluice.Time, backlog sluice.Bytes)
	Dequeue(now sluice.Time, size, backlog sluice.Bytes, ecn sluice.ECN) sluice.ECN
}

var detectors = map[string]func(config string) (detector, error){
	"tcd":   detecting(tcd.New),
	"fecn":  detecting(tcd.NewFECN),
	"ecn":   detecting(tcd.NewECN),
	"npecn": detecting(newCongestionPoint),
}

// newCongestionPoint is pcn.NewCongestionPoint on the heap.
func newCongestionPoint(c pcn.CPConfig) (*pcn.CongestionPoint, error) {
	p, err := pcn.NewCongestionPoint(c)
	return &p, err
}

func detecting[C any, D detector](build func(C) (D, error)) func(string) (detector, error) {
	return func(text string) (detector, error) {
		var config C
		if err := settings.Apply(&config, text); err != nil {
			return nil, err
		}
		return build(config)
	}
}

//export go_marker_new
func go_marker_new(kind, config *C.sluice_text, failure *C.sluice_error) C.sluice_marker {
	return C.sluice_marker(granted(&markers, failure, func() (*marker, error) {
		build, ok := detectors[text(kind)]
		if !ok {
			return nil, fmt.Errorf("marker %q: must be one of %s", text(kind),
				strings.Join(names(detectors), ", "))
		}
		d, err := build(text(config))
		return &marker{d}, err
	}))
}

//export go_marker_free
func go_marker_free(m C.sluice_marker) C.int32_t { return freed(&markers, m) }

//export go_marker_resumed
func go_marker_resumed(handle C.sluice_marker, now C.sluice_time, backlog C.int64_t) C.int32_t {
	return with(&markers, handle, func(m *marker) C.int32_t {
		m.Resumed(sluice.Time(now), sluice.Bytes(backlog))
		return C.SLUICE_OK
	})
}

//export go_marker_dequeue
func go_marker_dequeue(
	handle C.sluice_marker, now C.sluice_time, size C.int64_t, backlog C.int64_t, ecn C.uint8_t,
) C.int32_t {
	return with(&markers, handle, func(m *marker) C.int32_t {
		if ecn > C.SLUICE_CE || !packetSize(size) {
			return C.SLUICE_E_ARGUMENT
		}
		mark := m.Dequeue(sluice.Time(now), sluice.Bytes(size), sluice.Bytes(backlog), sluice.ECN(ecn))
		return C.int32_t(mark)
	})
}

func names[T any](of map[string]T) []string {
	return slices.Sorted(maps.Keys(of))
}

type (
	receiver struct{ pcn.NotificationPoint }
	sender   struct{ pcn.ReactionPoint }
)

//export go_pcn_receiver_new
func go_pcn_receiver_new(config *C.sluice_text, failure *C.sluice_error) C.sluice_pcn_receiver {
	return C.sluice_pcn_receiver(made(&receivers, config, failure,
		func(c pcn.NPConfig) (*receiver, error) {
			point, err := pcn.NewNotificationPoint(c)
			return &receiver{point}, err
		}))
}

//export go_pcn_receiver_free
func go_pcn_receiver_free(r C.sluice_pcn_receiver) C.int32_t {
	return freed(&receivers, r)
}

//export go_pcn_arrive
func go_pcn_arrive(
	handle C.sluice_pcn_receiver, now C.sluice_time, size C.int64_t, ecn C.uint8_t,
) C.int32_t {
	return with(&receivers, handle, func(r *receiver) C.int32_t {
		return truth(r.Arrive(sluice.Time(now), sluice.Bytes(size), sluice.ECN(ecn)))
	})
}

//export go_pcn_deadline
func go_pcn_deadline(handle C.sluice_pcn_receiver) C.sluice_time {
	return with(&receivers, handle, func(r *receiver) C.sluice_time {
		return C.sluice_time(r.Deadline())
	})
}

//export go_pcn_expire
func go_pcn_expire(handle C.sluice_pcn_receiver, now C.sluice_time, to *C.sluice_cnp) C.int32_t {
	return with(&receivers, handle, func(r *receiver) C.int32_t {
		if to == nil {
			return errNull.code
		}
		n, due := r.Expire(sluice.Time(now))
		if due {
			*to = C.sluice_cnp{rate_mbps: C.uint32_t(n.RecRate), congested: C.uint8_t(truth(n.Congested))}
		}
		return truth(due)
	})
}

//export go_pcn_sender_new
func go_pcn_sender_new(config *C.sluice_text, failure *C.sluice_error) C.sluice_pcn_sender {
	return C.sluice_pcn_sender(made(&senders, config, failure,
		func(c pcn.RPConfig) (*sender, error) {
			point, err := pcn.NewReactionPoint(c)
			return &sender{point}, err
		}))
}

//export go_pcn_sender_free
func go_pcn_sender_free(s C.sluice_pcn_sender) C.int32_t {
	return freed(&senders, s)
}

//export go_pcn_rate
func go_pcn_rate(handle C.sluice_pcn_sender, from *C.sluice_cnp_in) C.int64_t {
	return with(&senders, handle, func(s *sender) C.int64_t {
		if from != nil {
			s.Receive(&pcn.CNP{Congested: from.congested != 0, RecRate: uint32(from.rate_mbps)})
		}
		return C.int64_t(s.Rate())
	})
}
