package conformance

import (
	"bytes"
	"fmt"

	"github.com/sluicefc/sluice"
)

type stepKind uint8

const (
	stepEnqueue stepKind = iota
	stepNext
	stepDequeue
	stepReceive
	stepExpire
	stepPoll
	stepLinkDown
	stepLinkUp
	stepRebase
	stepConsume
	stepRemark // a sentence of the suite, no hook
)

// garbled is the label of a frame that need not parse.
const garbled = "garbage"

// step is one call of a hook, with what it answered. A journal of them can be read, and
// replayed on another machine.
type step struct {
	kind   stepKind
	done   bool // it returned
	ok     bool
	node   string
	now    sluice.Time
	port   sluice.PortID
	queue  sluice.QueueID
	id     int           // of the packet, by order of first appearance; -1 if it does not appear again
	packet sluice.Packet // as it was before
	frame  []byte
	words  func(frame []byte) string // Spec.Describe
	label  string

	by      sluice.Time
	verdict sluice.Verdict
	wake    sluice.Wake
	err     error
}

func (s *step) String() string {
	prefix := s.now.String() + " " + s.node
	switch s.kind {
	case stepEnqueue:
		return fmt.Sprintf("%senqueue port %d %s -> %s", prefix, s.port, describe(&s.packet),
			s.answer(s.verdict.String()))
	case stepNext:
		answer := "none"
		if s.ok {
			answer = fmt.Sprintf("queue %d", s.queue)
		}
		return fmt.Sprintf("%snext port %d -> %s", prefix, s.port, s.answer(answer))
	case stepDequeue:
		return fmt.Sprintf("%sdequeue port %d queue %d from %s size %d flow %#x -> %s", prefix,
			s.port, s.queue, ingress(&s.packet), s.packet.Size, s.packet.Flow,
			s.answer(s.verdict.String()))
	case stepReceive:
		answer := s.wake.String()
		if s.err != nil {
			answer = "error: " + s.err.Error()
		}
		return fmt.Sprintf("%sreceive port %d %s %s -> %s", prefix, s.port, s.label, s.contents(),
			s.answer(answer))
	case stepExpire:
		return fmt.Sprintf("%sexpire%s -> %s", prefix, s.label, s.answer(s.wake.String()))
	case stepPoll:
		answer := "none"
		if s.ok {
			answer = fmt.Sprintf("%s %s", s.label, s.contents())
		}
		return fmt.Sprintf("%spoll port %d -> %s", prefix, s.port, s.answer(answer))
	case stepLinkDown, stepLinkUp:
		return fmt.Sprintf("%s%s port %d -> %s", prefix, s.label, s.port, s.answer(s.wake.String()))
	case stepConsume:
		return fmt.Sprintf("%sconsume port %d %s -> %s", prefix, s.port, describe(&s.packet),
			s.answer(s.wake.String()))
	case stepRebase:
		return fmt.Sprintf("%srebase by %v", prefix, s.by)
	default:
		return prefix + s.label
	}
}

func (s *step) contents() string {
	if s.words != nil && s.label != garbled {
		return s.words(s.frame)
	}
	return hex(s.frame)
}

func (s *step) answer(a string) string {
	if !s.done {
		return "did not return"
	}
	return a
}

func describe(p *sluice.Packet) string {
	text := fmt.Sprintf("from %s class %d size %d flow %#x", ingress(p), p.Class, p.Size, p.Flow)
	if p.UpstreamQueue != 0 {
		text += fmt.Sprintf(" upstream queue %d", p.UpstreamQueue)
	}
	if p.Path.Len() > 0 {
		text += " path " + p.Path.String()
	}
	return text
}

func ingress(p *sluice.Packet) string {
	if p.Ingress == sluice.Local {
		return "local"
	}
	return fmt.Sprint(p.Ingress)
}

// hex prints a frame without the zeros at its end.
func hex(frame []byte) string {
	short := bytes.TrimRight(frame, "\x00")
	if len(short) > 80 {
		return fmt.Sprintf("[%d bytes: %x...]", len(frame), short[:80])
	}
	return fmt.Sprintf("[%d bytes: %x]", len(frame), short)
}

// journal lists what was done.
type journal struct {
	scene []string // what stays the same
	steps []step
	muted bool
	spare step // what a muted journal writes to
	left  int  // steps that were left out
}

// begin adds a step that is about to be taken; its address is good until the next.
func (j *journal) begin(s step) *step {
	if j.muted {
		j.left++
		j.spare = s
		return &j.spare
	}
	if j.left > 0 {
		j.steps = append(j.steps, step{
			kind: stepRemark, now: s.now,
			label: fmt.Sprintf("... after %d actions of timers and frames", j.left),
		})
		j.left = 0
	}
	j.steps = append(j.steps, s)
	return &j.steps[len(j.steps)-1]
}

func (j *journal) remark(now sluice.Time, node, format string, args ...any) {
	j.begin(step{kind: stepRemark, now: now, node: node, label: fmt.Sprintf(format, args...)})
}

const longestJournal = 400 // lines

// lines formats the journal. Polls that found nothing are left out.
func (j *journal) lines() []string {
	var lines []string
	for i := range j.steps {
		s := &j.steps[i]
		if s.kind == stepPoll && s.done && !s.ok {
			continue
		}
		lines = append(lines, "  "+s.String())
	}
	if j.left > 0 {
		lines = append(lines, fmt.Sprintf("  ... %d more actions of timers and frames", j.left))
	}
	if cut := len(lines) - longestJournal; cut > 0 {
		lines = append([]string{fmt.Sprintf("  ... %d earlier actions", cut)}, lines[cut:]...)
	}
	return append(append([]string{"what was done:"}, j.scene...), lines...)
}
