package main

// #include "cgo.h"
import "C"

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pcn"
)

type (
	receiver struct{ pcn.NotificationPoint }
	sender   struct{ pcn.ReactionPoint }
)

//export go_pcn_receiver_new
func go_pcn_receiver_new(
	config *C.sluice_text, failure *C.sluice_error,
) C.sluice_pcn_receiver {
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
	handle C.sluice_pcn_receiver, now C.sluice_time, size C.int32_t, ecn C.uint8_t,
) C.int32_t {
	return with(&receivers, handle, func(r *receiver) C.int32_t {
		return truth(r.Arrive(sluice.Time(now), int32(size), sluice.ECN(ecn)))
	})
}

//export go_pcn_deadline
func go_pcn_deadline(handle C.sluice_pcn_receiver) C.sluice_time {
	return with(&receivers, handle, func(r *receiver) C.sluice_time {
		return C.sluice_time(r.Deadline())
	})
}

//export go_pcn_expire
func go_pcn_expire(
	handle C.sluice_pcn_receiver, now C.sluice_time, to *C.sluice_cnp,
) C.int32_t {
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
func go_pcn_sender_new(
	config *C.sluice_text, failure *C.sluice_error,
) C.sluice_pcn_sender {
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
