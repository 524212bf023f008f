package main

// #include "cgo.h"
import "C"

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/capi/internal/settings"
	"github.com/sluicefc/sluice/pcn"
)

type (
	receiver struct{ pcn.NotificationPoint }
	sender   struct{ pcn.ReactionPoint }
)

//export go_pcn_receiver_new
func go_pcn_receiver_new(
	config *C.sluice_text, failure *C.sluice_error,
) (handle C.sluice_pcn_receiver) {
	tell(failure, guard(func() error {
		var c pcn.NPConfig
		if err := settings.Apply(&c, text(config)); err != nil {
			return err
		}
		point, err := pcn.NewNotificationPoint(c)
		if err == nil {
			handle = C.sluice_pcn_receiver(receivers.add(&receiver{point}))
		}
		return err
	}), C.SLUICE_E_CONFIG)
	return handle
}

//export go_pcn_receiver_free
func go_pcn_receiver_free(r C.sluice_pcn_receiver) C.int32_t {
	return freed(receivers.free(uint64(r)))
}

//export go_pcn_arrive
func go_pcn_arrive(
	handle C.sluice_pcn_receiver, now C.sluice_time, size C.int32_t, ecn C.uint8_t,
) C.int32_t {
	r := receivers.get(uint64(handle))
	if r == nil {
		return C.SLUICE_E_HANDLE
	}
	return truth(r.Arrive(sluice.Time(now), int32(size), sluice.ECN(ecn)))
}

//export go_pcn_deadline
func go_pcn_deadline(handle C.sluice_pcn_receiver) C.sluice_time {
	r := receivers.get(uint64(handle))
	if r == nil {
		return C.SLUICE_E_HANDLE
	}
	return C.sluice_time(r.Deadline())
}

//export go_pcn_expire
func go_pcn_expire(
	handle C.sluice_pcn_receiver, now C.sluice_time, to *C.sluice_cnp,
) C.int32_t {
	r := receivers.get(uint64(handle))
	switch {
	case r == nil:
		return C.SLUICE_E_HANDLE
	case to == nil:
		return errNull.code
	}
	cnp, due := r.Expire(sluice.Time(now))
	if due {
		*to = C.sluice_cnp{rate_mbps: C.uint32_t(cnp.RecRate), congested: C.uint8_t(truth(cnp.Congested))}
	}
	return truth(due)
}

//export go_pcn_sender_new
func go_pcn_sender_new(
	config *C.sluice_text, failure *C.sluice_error,
) (handle C.sluice_pcn_sender) {
	tell(failure, guard(func() error {
		var c pcn.RPConfig
		if err := settings.Apply(&c, text(config)); err != nil {
			return err
		}
		point, err := pcn.NewReactionPoint(c)
		if err == nil {
			handle = C.sluice_pcn_sender(senders.add(&sender{point}))
		}
		return err
	}), C.SLUICE_E_CONFIG)
	return handle
}

//export go_pcn_sender_free
func go_pcn_sender_free(s C.sluice_pcn_sender) C.int32_t {
	return freed(senders.free(uint64(s)))
}

//export go_pcn_rate
func go_pcn_rate(handle C.sluice_pcn_sender, from *C.sluice_cnp_in) C.int64_t {
	s := senders.get(uint64(handle))
	if s == nil {
		return C.SLUICE_E_HANDLE
	}
	if from != nil {
		s.Receive(&pcn.CNP{Congested: from.congested != 0, RecRate: uint32(from.rate_mbps)})
	}
	return C.int64_t(s.Rate())
}
