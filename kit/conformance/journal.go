package conformance

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
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

func (k stepKind) String() string {
	return [...]string{
		"enqueue", "next", "dequeue", "receive", "expire", "poll", "link down", "link up", "rebase",
		"consume",
	}[k]
}

// garbled is the label of a frame that need not parse.
const garbled = "garbage"

// step is one call of a hook, with its answer. A journal of steps can be read, and replayed on
// another machine.
type step struct {
	kind   stepKind
	inert  bool // it is to change nothing, and the twin does not take it
	node   string
	now    sluice.Time
	port   sluice.PortID
	queue  sluice.QueueID
	id     int           // of the packet, by order of first appearance; -1 if it does not appear again
	packet sluice.Packet // as it was before
	frame  []byte
	words  func(frame []byte) string // Spec.Describe
	label  string
	by     sluice.Time

	deadline sluice.Time // before, in the embedder's time
	first    bool        // the machine had no time before: its timers may begin with it
	done     bool        // it returned
	answer
}

type answer struct {
	verdict sluice.Verdict
	wake    sluice.Wake // a verdict's too
	next    sluice.QueueID
	ok      bool
	polled  []byte
	kind    string // of the polled frame
	err     error
	woken   []sluice.PortID // of the wake, as PollPort answers: of a subject's steps
}

func (a *answer) equal(b *answer) bool {
	return a.verdict == b.verdict && a.wake == b.wake && a.next == b.next && a.ok == b.ok &&
		bytes.Equal(a.polled, b.polled) && a.kind == b.kind && (a.err == nil) == (b.err == nil) &&
		slices.Equal(a.woken, b.woken)
}

// call calls the step's hook of a machine: with a packet of its own, and with the frame or the
// buffer b.
func (s *step) call(m kit.Machine, now sluice.Time, p *sluice.Packet, b []byte) (a answer) {
	switch s.kind {
	case stepEnqueue:
		a.verdict = m.Enqueue(now, s.port, p)
		a.wake = a.verdict.Wake()
	case stepNext:
		a.next, a.ok = m.Next(now, s.port)
	case stepDequeue:
		a.verdict = m.Dequeue(now, s.port, s.queue, p)
		a.wake = a.verdict.Wake()
	case stepReceive:
		a.wake, a.err = m.Receive(now, s.port, b)
	case stepExpire:
		a.wake = m.Expire(now)
	case stepPoll:
		a.polled, a.kind, a.ok = m.PollFrame(now, s.port, b)
	case stepLinkDown:
		a.wake = m.LinkDown(now, s.port)
	case stepLinkUp:
		a.wake = m.LinkUp(now, s.port)
	case stepRebase:
		m.Rebase(s.by)
	case stepConsume:
		a.wake = kit.Consume(m, now, s.port, p)
	}
	return a
}

func (s *step) String() string {
	prefix := s.now.String() + " " + s.node
	switch s.kind {
	case stepRemark:
		return prefix + s.label
	case stepRebase:
		return fmt.Sprintf("%srebase by %v", prefix, s.by)
	case stepExpire:
		return fmt.Sprintf("%sexpire%s -> %s", prefix, s.label, s.answered())
	}
	text := fmt.Sprintf("%s%v port %d", prefix, s.kind, s.port)
	switch s.kind {
	case stepEnqueue, stepConsume:
		text += " " + describe(&s.packet)
	case stepDequeue:
		text += fmt.Sprintf(" queue %d from %s size %d flow %#x", s.queue, ingress(&s.packet),
			s.packet.Size, s.packet.Flow)
	case stepReceive:
		text += fmt.Sprintf(" %s %s", s.label, s.contents(s.frame))
	}
	return text + " -> " + s.answered()
}

func (s *step) answered() string {
	switch {
	case !s.done:
		return "did not return"
	case s.err != nil:
		return "error: " + s.err.Error()
	case s.kind == stepEnqueue || s.kind == stepDequeue:
		return s.verdict.String()
	case s.kind != stepNext && s.kind != stepPoll:
		return s.wake.String()
	case !s.ok:
		return "none"
	case s.kind == stepNext:
		return fmt.Sprintf("queue %d", s.next)
	}
	return fmt.Sprintf("%s %s", s.answer.kind, s.contents(s.polled))
}

func (s *step) contents(frame []byte) string {
	if s.words != nil && s.label != garbled {
		return s.words(frame)
	}
	return hex(frame)
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

type journal struct {
	scene []string // what stays the same
	steps []step
	muted bool
	spare step // the target of a muted journal
	left  int  // steps that were left out
}

// begin adds a step that is about to be taken; its address is good until the next call.
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
