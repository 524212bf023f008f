package chip_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/chip"
)

// port returns a port that the chip has.
func port(t *testing.T, number int) chip.DevPort {
	t.Helper()
	p, err := chip.ParseDevPort(number)
	require.NoError(t, err)
	return p
}

// Three words as their ports, queues and carving make them. The first is the vector that a public
// project runs on hardware: "137 -> 1, 1, 16". Programs that put the channel into bits 24:22 write
// another word for the same queue.
func TestWordsOfPorts(t *testing.T) {
	vectors := []struct {
		port, qid                     int
		pipe, group, channel, pgQueue int
		pause                         chip.Word
		ghost                         int
		nineBit                       chip.Word
	}{
		{137, 0, 1, 1, 1, 16, 0xA2080001, 144, 0xA2480001},
		{8, 5, 0, 1, 0, 5, 0x82028001, 133, 0x82028001},
		{452, 15, 3, 8, 4, 79, 0xF0278001, 1103, 0xF1278001},
	}
	for _, v := range vectors {
		p := port(t, v.port)
		assert.Equal(t, []int{v.pipe, v.group, v.channel}, []int{p.Pipe(), p.Group(), p.Channel()}, p)

		queue, err := chip.DefaultCarving().Queue(p, v.qid)
		require.NoError(t, err)
		assert.Equal(t, v.pgQueue, queue.Number(), p)
		assert.Equal(t, v.ghost, queue.Ghost(), p)
		assert.Equal(t, v.pause, chip.Pause(queue), p)
		assert.Equal(t, v.pause-1, chip.Resume(queue), "RESUME is one less than PAUSE")

		assert.True(t, v.nineBit.Same(v.pause), "bits 24:22 do not matter")
		decoded, credit, err := chip.Decode(v.nineBit)
		require.NoError(t, err)
		assert.Equal(t, queue, decoded, "bits 24:22 are ignored when a word is read")
		assert.Equal(t, 1, credit)
	}
}

// Each of the chip's 4,608 queues has a word of its own: the word, the ghost thread's bits and the
// carving lead back to the queue.
func TestEveryQueueOfTheChip(t *testing.T) {
	words := make(map[chip.Word]bool)
	carving := chip.DefaultCarving()
	for pipe := range chip.Pipes {
		for group := range chip.Groups {
			for channel := range chip.Channels {
				p, err := chip.NewDevPort(pipe, group, channel)
				require.NoError(t, err)
				for qid := range carving.Count(channel) {
					queue, err := carving.Queue(p, qid)
					require.NoError(t, err)
					require.False(t, words[chip.Pause(queue)], "%v: its word is another's", queue)
					words[chip.Pause(queue)] = true
					require.Equal(t, len(words)-1, queue.Index())

					decoded, _, err := chip.Decode(chip.Resume(queue))
					require.NoError(t, err)
					require.Equal(t, queue, decoded)
					ghost, err := chip.GhostQueue(pipe, queue.Ghost())
					require.NoError(t, err)
					require.Equal(t, queue, ghost)
					owner, number, ok := carving.Port(queue)
					require.True(t, ok)
					require.Equal(t, p, owner)
					require.Equal(t, qid, number)
				}
			}
		}
	}
	assert.Len(t, words, chip.Queues)
}

// The front ports of 400G have channel 0; recirculation has a port in each pipe.
func TestPortNumbers(t *testing.T) {
	var first []int
	for group := 1; group < chip.Groups; group++ {
		p, err := chip.NewDevPort(1, group, 0)
		require.NoError(t, err)
		assert.False(t, p.Internal())
		first = append(first, int(p))
	}
	assert.Equal(t, []int{136, 144, 152, 160, 168, 176, 184, 192}, first)

	var round []int
	for pipe := range chip.Pipes {
		p, err := chip.Recirculation(pipe)
		require.NoError(t, err)
		assert.True(t, p.Internal())
		round = append(round, int(p))
	}
	assert.Equal(t, []int{6, 134, 262, 390}, round)
	assert.Equal(t, "137 (pipe 1, group 1, channel 1)", port(t, 137).String())
}

func TestErrorsNameTheNumber(t *testing.T) {
	port := func(_ chip.DevPort, err error) error { return err }
	queue := func(_ chip.Queue, err error) error { return err }
	carving := func(_ chip.Carving, err error) error { return err }
	word := func(_ chip.Word, err error) error { return err }
	decoded := func(_ chip.Queue, _ int, err error) error { return err }
	standard := chip.DefaultCarving()
	faults := []struct {
		err     error
		message string
	}{
		{port(chip.ParseDevPort(72)), "dev_port = 72: its low seven bits must be 0 to 71"},
		{port(chip.ParseDevPort(512)), "dev_port = 512: must be 0 to 511"},
		{port(chip.ParseDevPort(-1)), "dev_port = -1: must be 0 to 511"},
		{port(chip.NewDevPort(4, 0, 0)), "pipe = 4: must be 0 to 3"},
		{port(chip.NewDevPort(0, 9, 0)), "port group = 9: must be 0 to 8"},
		{port(chip.NewDevPort(0, 0, 8)), "channel = 8: must be 0 to 7"},
		{queue(chip.NewQueue(0, 0, 128)), "queue = 128: must be 0 to 127"},
		{queue(chip.GhostQueue(0, -1)), "ghost qid = -1: must be 0 to 1151"},
		{queue(standard.Queue(8, 16)), "queue of dev_port 8 = 16: must be 0 to 15"},
		{queue(chip.Carving{}.Queue(8, 0)), "dev_port = 8: has no queues in this carving"},
		{carving(chip.NewCarving([8]int{4, 6})), "queues of channel 1 = 6: must be a multiple of 4"},
		{carving(chip.NewCarving([8]int{132})), "queues of channel 0 = 132: must be 0 to 128"},
		{carving(chip.NewCarving([8]int{128, 4})), "queues of all channels = 132: must be at most 128"},
		{carving(chip.Breakout(3)), "ports of a group = 3: must be 1, 2, 4 or 8"},
		{word(chip.Credit(chip.Queue{}, 1<<14)), "credit = 16384: must be -16384 to 16383"},
		{decoded(chip.Decode(0x22080001)), "AFC word 0x22080001: qfc = 0: bit 31 must be set"},
		{decoded(chip.Decode(0x92000000)), "AFC word 0x92000000: port group = 9: must be 0 to 8"},
	}
	for _, fault := range faults {
		assert.EqualError(t, fault.err, "chip: "+fault.message)
	}
}

// A credit is a signed number of fifteen bits.
func TestCredit(t *testing.T) {
	queue, err := chip.NewQueue(2, 3, 4)
	require.NoError(t, err)
	for _, credit := range []int{0, 1, -1, 16383, -16384} {
		word, err := chip.Credit(queue, credit)
		require.NoError(t, err)
		decoded, read, err := chip.Decode(word)
		require.NoError(t, err)
		assert.Equal(t, queue, decoded)
		assert.Equal(t, credit, read)
	}
}

// A word is read or refused, whatever it is, and what was read makes it again.
func FuzzDecode(f *testing.F) {
	f.Add(uint32(0xA2080001))
	f.Add(uint32(0))
	f.Fuzz(func(t *testing.T, bits uint32) {
		queue, credit, err := chip.Decode(chip.Word(bits))
		if err != nil {
			return
		}
		again, err := chip.Credit(queue, credit)
		require.NoError(t, err)
		require.True(t, again.Same(chip.Word(bits)), "%v is %v again", chip.Word(bits), again)
	})
}
