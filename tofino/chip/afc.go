package chip

import "fmt"

// Word is the 32-bit word of advanced flow control that a program puts into adv_flow_ctl at the
// end of ingress or egress. It names one queue of the chip:
//
//	31     qfc          1
//	30:29  tm_pipe_id   pipe
//	28:25  tm_mac_id    port group
//	24:22               0 (ignored when decoding)
//	21:15  tm_mac_qid   queue in the port group
//	14:0   credit       1 pauses, 0 resumes; a signed number in CREDIT mode
//
// A queue obeys if its advanced_flow_control is XOFF (the driver's default is CREDIT) and its
// pipe's advanced_flow_control_enable is set. A packet carries at most one word in each of ingress
// and egress, and none is carried by never assigning the field: the word 0 is not "none".
type Word uint32

// The fields of a word.
const (
	wordFlag     = 1 << 31
	wordPipe     = 29
	wordGroup    = 25
	wordQueue    = 15
	wordCredit   = 1<<15 - 1
	wordIgnored  = 7 << 22
	creditLowest = -1 << 14
)

// Resume returns the word that lets a queue send. It is also what a program keeps in a table: the
// word that pauses is one more.
func Resume(queue Queue) Word {
	return wordFlag | Word(queue.pipe)<<wordPipe | Word(queue.group)<<wordGroup |
		Word(queue.number)<<wordQueue
}

// Pause returns the word that holds a queue.
func Pause(queue Queue) Word { return Resume(queue) + 1 }

// Credit returns the word that gives a queue in CREDIT mode a credit of -16,384 to 16,383. The unit
// is not published and no public project uses this mode: the encoding is all that is known.
func Credit(queue Queue, credit int) (Word, error) {
	if credit < creditLowest || credit > -creditLowest-1 {
		return 0, &RangeError{"credit", credit, "must be -16384 to 16383"}
	}
	return Resume(queue) | Word(credit)&wordCredit, nil
}

// Decode returns the queue and the credit of a word: 1 pauses and 0 resumes a queue in XOFF mode.
// Bits 24:22 may have any value. A word without its highest bit, or of a port group that is none,
// gets an error.
func Decode(word Word) (Queue, int, error) {
	if word&wordFlag == 0 {
		return Queue{}, 0, &RangeError{fmt.Sprintf("AFC word %v: qfc", word), 0, "bit 31 must be set"}
	}
	group := int(word >> wordGroup & 15)
	queue, fault := NewQueue(int(word>>wordPipe&3), group, int(word>>wordQueue&127))
	if fault != nil {
		return Queue{}, 0, &RangeError{fmt.Sprintf("AFC word %v: port group", word),
			group, fmt.Sprintf("must be 0 to %d", Groups-1)}
	}
	credit := int(int16(word<<1)) >> 1 // the fifteenth bit is the sign
	return queue, credit, nil
}

// Same reports whether two words say the same: whether they differ in bits 24:22 at most.
func (w Word) Same(other Word) bool { return (w^other)&^wordIgnored == 0 }

// String formats as "0xA2080001".
func (w Word) String() string { return fmt.Sprintf("0x%08X", uint32(w)) }
