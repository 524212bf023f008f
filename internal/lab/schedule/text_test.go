package schedule

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const pingPong = `// two ranks
num_ranks 2

rank 0 { /* sends
first */
l1: send 10b to 1 tag 3 cpu 1 nic 2
l2: recv 20 b from 1
l2 requires l1
after irequires l1 // defined below
after: calc 500 cpu 1
}
rank 1 {
a: recv 10b from 0 tag 3
b: send 20b to 0
b requires a
calc 7
}
`

func TestReadText(t *testing.T) {
	s, err := Read(strings.NewReader(pingPong), "pingpong.goal")
	require.NoError(t, err)
	require.Equal(t, 2, s.Ranks)
	require.Equal(t, []Operation{
		{Kind: Send, Size: 10, Peer: 1, Tag: 3, CPU: 1, NIC: 2},
		{Kind: Recv, Size: 20, Peer: 1},
		{Kind: Calc, Size: 500, CPU: 1},
	}, s.Of(0))
	require.Equal(t, []int32{0, 1, 1, 0, 1, 0}, s.waits)
	require.Equal(t, []int32{1, 4}, s.after)
	require.Equal(t, []int32{2}, s.besides)
	require.Equal(t, 2, s.cpus)
}

// TestWhatIsWrongIsNamed: an error has the line, and says what is wrong there.
func TestWhatIsWrongIsNamed(t *testing.T) {
	block := func(lines string) string {
		return "num_ranks 2\nrank 1 {\n}\nrank 0 {\n" + lines + "\n}\n"
	}
	for text, want := range map[string]string{
		"":                                  "f:1: the file ends where num_ranks should be",
		"\nrank 0 {\n}":                     `f:2: "rank" should be num_ranks`,
		"num_ranks 0\n":                     "f:1: there must be a rank at least",
		"num_ranks 2\nrank 0 {\n}":          "f:3: the file ends after 1 of 2 ranks: rank 1 has no block",
		"num_ranks 1\nrank 1 {\n}":          `f:2: rank "1" is above 0`,
		"num_ranks 1\nrank 0 {":             "f:2: the file ends where an operation, a label or } should be",
		"num_ranks 1\n/* rank 0 {":          "f:2: a comment is never closed",
		"num_ranks 1\nrank 0 {}\nrank 0 {}": "f:3: rank 0 has a block already",

		block("send 1b to 2"):                 `f:5: rank "2" is above 1`,
		block("send 1 to 1"):                  `f:5: "to" should be b`,
		block("recv 1b to 1"):                 `f:5: "to" should be from`,
		block("recv 1b from -1 tag 0"):        "f:5: any rank (-1) is not supported: write the one that is meant",
		block("recv 1b from 1 tag -1"):        "f:5: any tag (-1) is not supported: write the one that is meant",
		block("calc 1 cpu 256"):               `f:5: cpu "256" is above 255`,
		block("calc 1 cpu 1 cpu 1"):           "f:5: cpu is given twice",
		block("calc"):                         "f:5: the line ends where number of nanoseconds should be",
		block("a: calc 1\na: calc 2"):         `f:6: the label "a" is there already`,
		block("a: calc 1\n\na requires b"):    `f:7: rank 0 has no label "b"`,
		block("a: calc 1\na requires a"):      "f: schedule: rank 0, operation 1 (calc 1) waits for the first: a circle",
		block("a: calc 1 tag 2"):              `f:5: "tag" should be the end of the line`,
		block("a: calc 99999999999999999999"): `f:5: number of nanoseconds "99999999999999999999" is above 4320000000000000`,
		block("recv 5b from 1 tag 4"): "f: schedule: rank 0 receives 1 messages from rank 1 " +
			"with tag 4, which sends 0: the others would never end",
		block("a: calc 1\nb: calc 2\nb requires a\na irequires b"): "f: schedule: rank 0, operation 1 " +
			"(calc 1) waits for rank 0, operation 2 (calc 2), which waits for the first: a circle",
	} {
		_, err := Read(strings.NewReader(text), "f")
		require.EqualError(t, err, want, text)
	}
}

// TestFormsAreOne: a schedule that was written, as text or in binary form, is read as the same.
func TestFormsAreOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, _, _ := drawn(t)
		var text, binary bytes.Buffer
		require.NoError(t, s.WriteText(&text))
		require.NoError(t, s.WriteBinary(&binary))
		for _, form := range []*bytes.Buffer{&text, &binary} {
			got, err := Read(form, "f")
			require.NoError(t, err)
			require.Equal(t, s, got)
		}
	})
}

// TestCutBinaryFiles: no file that is cut off passes.
func TestCutBinaryFiles(t *testing.T) {
	s, err := Read(strings.NewReader(pingPong), "")
	require.NoError(t, err)
	var whole bytes.Buffer
	require.NoError(t, s.WriteBinary(&whole))
	for n := range whole.Len() {
		_, err := Read(bytes.NewReader(whole.Bytes()[:n]), "f")
		require.Error(t, err, "%d bytes", n)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(pingPong))
	s, err := Read(strings.NewReader(pingPong), "")
	require.NoError(f, err)
	var binary bytes.Buffer
	require.NoError(f, s.WriteBinary(&binary))
	f.Add(binary.Bytes())
	f.Add([]byte("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n"))
	f.Add([]byte("num_ranks 2\nrank 1 {\nrecv 1b from 0\n}\nrank 0 {\ncalc 1\n}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Read(bytes.NewReader(data), "f")
		windowed, errInWindow := ReadInWindow(bytes.NewReader(data), "f", 2)
		requireAlike(t, s, windowed, err, errInWindow)
		if err != nil {
			return
		}
		var text bytes.Buffer
		require.NoError(t, s.WriteText(&text))
		again, err := Read(&text, "f")
		require.NoError(t, err)
		require.Equal(t, s, again)
	})
}
