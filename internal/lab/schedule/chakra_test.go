package schedule

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"
)

// traceNode is a node that tests write.
type traceNode struct {
	id, kind, micros uint64
	data, control    []uint64
	inputs           string
	numbers          map[string]int64
	group            string
}

func number(m []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), v)
}

func blob(m []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), v)
}

// trace writes a file of a rank.
func trace(nodes ...traceNode) []byte {
	file := protowire.AppendBytes(nil, blob(nil, 1, []byte("0.0.4")))
	for _, n := range nodes {
		m := number(number(number(nil, 1, n.id), 3, n.kind), 7, n.micros)
		for _, on := range n.control {
			m = number(m, 4, on)
		}
		var packed []byte
		for _, on := range n.data {
			packed = protowire.AppendVarint(packed, on)
		}
		m = blob(m, 5, packed)
		if n.inputs != "" {
			m = blob(m, 8, blob(nil, 1, []byte(n.inputs)))
		}
		for _, name := range slices.Sorted(maps.Keys(n.numbers)) {
			m = blob(m, 10, number(blob(nil, 1, []byte(name)), 9, uint64(n.numbers[name])))
		}
		if n.group != "" {
			m = blob(m, 10, blob(blob(nil, 1, []byte("pg_name")), attributeString, []byte(n.group)))
		}
		file = protowire.AppendBytes(file, m)
	}
	return file
}

func readTrace(o ChakraOptions, files ...[]byte) (*Schedule, error) {
	return ReadChakra(len(files), opens(files), o)
}

func readTraceInWindow(window int, o ChakraOptions, files ...[]byte) (*Schedule, error) {
	return ReadChakraInWindow(len(files), opens(files), o, "f", window)
}

func opens(files [][]byte) func(rank int) (io.ReadCloser, string, error) {
	return func(rank int) (io.ReadCloser, string, error) {
		return io.NopCloser(bytes.NewReader(files[rank])), "f", nil
	}
}

// written writes what a trace can say of a schedule, without what waits for a start, and more nodes
// in each rank: its files, of which every second is packed, and what is to be read from them if
// there are no more nodes.
func written(t *rapid.T, s *Schedule, more ...traceNode) (files [][]byte, want *Schedule) {
	b := NewBuilder(s.Ranks)
	for rank := range s.Ranks {
		var nodes []traceNode
		for i, o := range s.Of(rank) {
			nodes = append(nodes, nodeOf(100+uint64(i), &o))
			b.Add(rank, o)
		}
		first := s.first[rank]
		for i := first; i < s.first[rank+1]; i++ {
			for _, w := range s.after[s.afterAt[i]:s.afterAt[i+1]] {
				b.Requires(rank, Label(w-first), Label(i-first))
				n := &nodes[w-first]
				if i%2 == 0 {
					n.data = append(n.data, 100+uint64(i-first))
				} else {
					n.control = append(n.control, 100+uint64(i-first))
				}
			}
		}
		file := trace(append(nodes, more...)...)
		if rank%2 == 1 {
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			_, _ = z.Write(file)
			require.NoError(t, z.Close())
			file = packed.Bytes()
		}
		files = append(files, file)
	}
	want, err := b.Build()
	require.NoError(t, err)
	return files, want
}

// nodeOf returns the node of an operation, which it makes one that a trace can have.
func nodeOf(id uint64, o *Operation) traceNode {
	n := traceNode{id: id, numbers: map[string]int64{}}
	switch o.Kind {
	case Calc:
		n.kind, n.micros = compNode, uint64(min(o.Size, 1000))
		n.numbers["is_cpu_op"] = int64(o.CPU)
		o.Size = int64(n.micros) * 1000
		o.CPU = [...]uint8{gpuStream, cpuStream}[o.CPU]
		return n
	case Send:
		n.kind, o.CPU = sendNode, messageStream
		n.numbers["comm_dst"] = int64(o.Peer)
	case Recv:
		n.kind = recvNode
		n.numbers["comm_src"] = int64(o.Peer)
	}
	n.numbers["comm_size"], n.numbers["comm_tag"] = o.Size, int64(o.Tag)
	return n
}

// TestChakraIsTheSchedule: a random schedule that is written as a trace is read as the same.
func TestChakraIsTheSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, _, _ := drawn(t)
		files, want := written(t, s)
		got, err := readTrace(ChakraOptions{}, files...)
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

// TestChakraCollectives: the bytes that all ranks send are what the collective moves, whatever the
// algorithm.
func TestChakraCollectives(t *testing.T) {
	const n, size = 4, 1002
	for _, c := range []struct {
		kind      int64
		algorithm string
		want      int64
	}{
		{allReduce, "ring", 2 * (n - 1) * size}, {allReduce, "direct", 2 * (n - 1) * size},
		{allReduce, "halving", 2 * (n - 1) * size}, {allGather, "ring", n * (n - 1) * size},
		{allGather, "direct", n * (n - 1) * size}, {allGather, "halving", n * (n - 1) * size},
		{reduceScatter, "ring", (n - 1) * size}, {reduceScatter, "direct", (n - 1) * size},
		{reduceScatter, "halving", (n - 1) * size}, {allToAll, "direct", (n - 1) * size},
		{allToAll, "pairwise", (n - 1) * size}, {broadcast, "", (n - 1) * size},
	} {
		file := trace(traceNode{kind: collectiveNode, numbers: map[string]int64{
			"comm_type": c.kind, "comm_size": size,
		}})
		s, err := readTrace(ChakraOptions{
			AllReduce: c.algorithm, AllGather: c.algorithm, ReduceScatter: c.algorithm,
			AllToAll: c.algorithm,
		}, file, file, file, file)
		require.NoError(t, err)
		total, received := int64(0), int64(0)
		for _, o := range s.operations {
			switch o.Kind {
			case Send:
				total += o.Size
			case Recv:
				received += o.Size
			}
		}
		require.Equal(t, c.want, total, "%v", c)
		require.Equal(t, total, received, "%v", c)
	}
}

// TestWhatIsWrongInChakraIsNamed: an error has the offset, and says what is wrong there.
func TestWhatIsWrongInChakraIsNamed(t *testing.T) {
	coll := func(kind, size int64) []byte {
		return trace(traceNode{id: 1, kind: collectiveNode, numbers: map[string]int64{
			"comm_type": kind, "comm_size": size,
		}})
	}
	unknown := trace(traceNode{id: 1, kind: compNode, data: []uint64{7}})
	itself := trace(traceNode{id: 1, kind: compNode, control: []uint64{1}})
	recv := traceNode{id: 1, kind: recvNode, numbers: map[string]int64{"comm_src": 1, "comm_size": 9}}
	for want, first := range map[string][]byte{
		"f: at byte 0: the file is empty":                    {},
		"f: at byte 1: the file ends after 1 of the 5 bytes": {5, 10},
		"node 1 waits for node 7, which is not there":        unknown,
		"node 1 waits for the first: a circle":               itself,
		"f: at byte 9: node 1 has type 9":                    trace(traceNode{id: 1, kind: 9}),
		"rank 0 receives 1 messages from rank 1 with tag 0":  trace(recv),
		"node 1 is ALL_TO_ALL of 8 bytes, and node 1 of":     coll(allReduce, 8),
		"collective GATHER by the algorithm":                 coll(3, 8),
	} {
		second := trace()
		if bytes.Equal(first, coll(allReduce, 8)) {
			second = coll(allToAll, 8)
		}
		_, err := readTrace(ChakraOptions{}, first, second)
		require.ErrorContains(t, err, want)
	}
	_, err := readTrace(ChakraOptions{}, coll(allReduce, 8), trace())
	require.ErrorContains(t, err, "rank 1 has 0 collectives of group \"\", and rank 0 has 1")
}

// TestChakraGroups: PyTorch names groups of ranks in a node of metadata.
func TestChakraGroups(t *testing.T) {
	groups := `['[{"pg_name": "3", "ranks": [2, 0]}]']`
	member := trace(
		traceNode{id: 1, kind: metadataNode, inputs: groups},
		traceNode{id: 2, kind: collectiveNode, data: []uint64{1}, group: "3",
			numbers: map[string]int64{"comm_type": allGather, "comm_size": 5}},
	)
	s, err := readTrace(ChakraOptions{}, member, trace(), member)
	require.NoError(t, err)
	require.Equal(t, Operation{Kind: Send, Peer: 2, Size: 5, Tag: firstCollectiveTag,
		CPU: messageStream}, s.Of(0)[2])
	_, err = readTrace(ChakraOptions{}, member, member, member)
	require.ErrorContains(t, err, `node 2 is of group "3", which rank 1 is not of`)
}

// TestNodesOfLargeGroups: the group of a node is found by its name, so that memory for nodes does
// not grow with the ranks of their group.
func TestNodesOfLargeGroups(t *testing.T) {
	const nodes = 1000
	var list []traceNode
	for i := range uint64(nodes) {
		list = append(list, traceNode{
			id: i, kind: collectiveNode, group: "all",
			numbers: map[string]int64{"comm_type": broadcast, "comm_size": 8},
		})
	}
	file, second := trace(list...), errors.New("second file")
	allocated := func(ranks int) uint64 {
		all := make([]int32, ranks)
		for i := range all {
			all[i] = int32(ranks - 1 - i) // rank 0 is a leaf of the tree, and receives once
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ReadChakra(ranks, func(rank int) (io.ReadCloser, string, error) {
			if rank > 0 {
				return nil, "", second
			}
			return io.NopCloser(bytes.NewReader(file)), "f", nil
		}, ChakraOptions{Groups: map[string][]int32{"all": all}})
		require.ErrorIs(t, err, second)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := allocated(16), allocated(2048)
	require.Less(t, many, 2*few)
}

// TestGroupsOfOneName: a name means the group that the file named last before the node.
func TestGroupsOfOneName(t *testing.T) {
	naming := func(id uint64, ranks string) traceNode {
		return traceNode{id: id, kind: metadataNode,
			inputs: `"[{"pg_name": "g", "ranks": ` + ranks + `}]"`}
	}
	exchange := func(id uint64) traceNode {
		return traceNode{id: id, kind: collectiveNode, group: "g",
			numbers: map[string]int64{"comm_type": allToAll, "comm_size": 30}}
	}
	first := trace(naming(1, "[0, 1]"), exchange(2), naming(3, "[2, 0]"), exchange(4))
	second, third := trace(naming(1, "[0, 1]"), exchange(2)), trace(naming(3, "[2, 0]"), exchange(4))
	s, err := readTrace(ChakraOptions{}, first, second, third)
	require.NoError(t, err)
	peers := map[int32]int{}
	for _, o := range s.Of(0) {
		if o.Kind == Send {
			peers[o.Peer]++
		}
	}
	require.Equal(t, map[int32]int{1: 1, 2: 1}, peers)
}

// FuzzReadChakra: two ranks of the same file, of which the collectives match.
func FuzzReadChakra(f *testing.F) {
	f.Add(trace(traceNode{kind: collectiveNode,
		numbers: map[string]int64{"comm_size": 9, "comm_type": 0}}))
	f.Add(trace(traceNode{id: 1, kind: compNode, micros: 5}, traceNode{id: 2, kind: sendNode,
		data: []uint64{1}, numbers: map[string]int64{"comm_dst": 1, "comm_size": 3}}))
	f.Add(trace(traceNode{id: 1, kind: compNode, data: []uint64{1}}))
	f.Add(trace(traceNode{id: 1, kind: recvNode,
		numbers: map[string]int64{"comm_src": 1, "comm_size": 3}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := readTrace(ChakraOptions{}, data, data)
		if err == nil {
			require.NoError(t, s.WriteText(io.Discard))
		}
		windowed, errInWindow := readTraceInWindow(2, ChakraOptions{}, data, data)
		requireAlike(t, s, windowed, err, errInWindow)
	})
}
