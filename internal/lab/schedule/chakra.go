package schedule

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
)

// ChakraOptions say how a trace of Chakra becomes a schedule.
type ChakraOptions struct {
	// Algorithms of collectives. AllReduce, AllGather and ReduceScatter are "ring", "direct" or
	// "halving" (halving and doubling, of 2^k ranks), AllToAll is "direct" or "pairwise".
	AllReduce, AllGather, ReduceScatter, AllToAll string
	// DirectUpTo is the most bytes of a collective that is direct whatever is above; 0 none.
	DirectUpTo sluice.Bytes
	// Groups are the ranks of groups beside those that the trace has itself.
	Groups map[string][]int32
	// PeakPerf is how many operations a rank computes in a second, in 10^12, and LocalMemBW the
	// bandwidth of its memory in 10^9 bytes per second. If both are set, computations take as long as
	// their num_ops and their tensor_size, whichever takes longer, and durations count on CPUs only.
	PeakPerf, LocalMemBW int64
	// RemoteMemBW is in 10^9 bytes per second, RemoteMemLatency is added to each access.
	RemoteMemBW      int64
	RemoteMemLatency sluice.Time
}

// Streams of a rank that trains. A rank computes one thing at a time on its GPU, one
// on its CPU, and accesses memory once at a time; messages and marks wait for no stream.
const (
	gpuStream uint8 = iota
	messageStream
	cpuStream
	memoryStream
)

// Types of nodes.
const (
	invalidNode = iota
	metadataNode
	memLoadNode
	memStoreNode
	compNode
	sendNode
	recvNode
	collectiveNode
)

// ReadChakra reads a trace: a file for each rank, which open opens and names. Errors are
// *textfile.FileError and have the offset, which counts unpacked bytes if gzip packed the file.
func ReadChakra(
	ranks int, open func(rank int) (io.ReadCloser, string, error), options ChakraOptions,
) (*Schedule, error) {
	return readChakra(ranks, open, options, nil)
}

func readChakra(
	ranks int, open func(rank int) (io.ReadCloser, string, error), options ChakraOptions,
	windowed *Schedule,
) (*Schedule, error) {
	for _, d := range [...]struct {
		name  *string
		value string
	}{
		{&options.AllReduce, "ring"}, {&options.AllGather, "ring"}, {&options.ReduceScatter, "ring"},
		{&options.AllToAll, "direct"},
	} {
		*d.name = cmp.Or(*d.name, d.value)
	}
	c := &chakra{
		options: options, b: newBuilder(ranks, windowed), n: ranks, nextTag: firstCollectiveTag,
		instances: map[instanceKey]*instance{}, groups: map[string]*group{},
	}
	if c.b.err != nil {
		return nil, c.b.err
	}
	for rank := range ranks {
		in, name, err := open(rank)
		if err != nil {
			return nil, err
		}
		err = c.read(in, name, rank)
		in.Close()
		if err == nil {
			err = c.b.finish(rank)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := c.checkGroups(); err != nil {
		return nil, err
	}
	return c.b.Build()
}

// chakra is a trace that is being read.
type chakra struct {
	options ChakraOptions
	b       *Builder
	n       int // ranks

	file  *chakraFile // of the rank
	rank  int
	named map[string][]int32 // groups that the rank's file names
	here  map[string]*group  // what names mean in the rank's file, of those that a node had
	nodes map[uint64]int32   // places by id
	spans []span
	later []dependency

	groups    map[string]*group // by name and ranks
	order     []*group
	instances map[instanceKey]*instance
	nextTag   uint32
}

// span is the first and the last operation of a node.
type span struct {
	first, last Label
	id          uint64
}

type dependency struct {
	waits int32 // place of the node
	on    uint64
	at    int64
}

func (c *chakra) read(r io.Reader, name string, rank int) (err error) {
	if c.file, err = openChakra(r, name); err != nil {
		return err
	}
	c.rank, c.named, c.nodes = rank, map[string][]int32{}, map[uint64]int32{}
	c.here = map[string]*group{}
	c.spans, c.later = c.spans[:0], c.later[:0]
	var message bytes.Buffer
	if err := c.file.metadata(&message); err != nil {
		return err
	}
	for {
		n, err := c.file.node(&message)
		if err == io.EOF {
			return c.connect()
		}
		if err == nil {
			err = c.add(n)
		}
		if err != nil {
			return err
		}
	}
}

// add adds what a node does.
func (c *chakra) add(n *chakraNode) error {
	if _, twice := c.nodes[n.id]; twice {
		return c.file.errorf("node %d is there already", n.id)
	}
	c.b.place = c.file.last
	first, last, err := c.operations(n)
	if err == nil && c.b.err != nil {
		err = c.file.errorf("node %d: %v", n.id, c.b.err)
	}
	if err != nil {
		return err
	}
	place := int32(len(c.spans))
	c.nodes[n.id] = place
	c.spans = append(c.spans, span{first, last, n.id})
	for _, on := range n.waitsFor {
		c.later = append(c.later, dependency{place, on, c.file.last})
	}
	return nil
}

// nameGroups reads the groups of processes that PyTorch notes in a node of metadata: a list of
// JSON within quotes and brackets. Other metadata are left alone.
func (c *chakra) nameGroups(n *chakraNode) error {
	from, to := strings.Index(n.inputs, "[{"), strings.LastIndex(n.inputs, "}]")
	if from < 0 || to < from || !strings.Contains(n.inputs, `"pg_name"`) {
		return nil
	}
	var list []struct {
		Name  string  `json:"pg_name"`
		Ranks []int32 `json:"ranks"`
	}
	if err := json.Unmarshal([]byte(n.inputs[from:to+2]), &list); err != nil {
		return c.file.errorf("groups of node %d: %v", n.id, err)
	}
	for _, g := range list {
		if len(g.Ranks) > 0 {
			if err := c.checkMembers(g.Name, g.Ranks); err != nil {
				return err
			}
		}
		c.named[g.Name] = g.Ranks
		delete(c.here, g.Name)
	}
	return nil
}

func (c *chakra) checkMembers(name string, ranks []int32) error {
	seen := map[int32]bool{}
	for _, rank := range ranks {
		if rank < 0 || int(rank) >= c.n || seen[rank] {
			return c.file.errorf("group %s has rank %d: must be 0 to %d, and once",
				strconv.Quote(name), rank, c.n-1)
		}
		seen[rank] = true
	}
	return nil
}

// connect has nodes wait for those that they name.
func (c *chakra) connect() error {
	waits := make([]int32, len(c.spans))
	after := make([][]int32, len(c.spans))
	for _, d := range c.later {
		on, known := c.nodes[d.on]
		if !known {
			return c.file.errorAt(d.at, "node %d waits for node %d, which is not there",
				c.spans[d.waits].id, d.on)
		}
		waits[d.waits]++
		after[on] = append(after[on], d.waits)
		c.b.Requires(c.rank, c.spans[d.waits].first, c.spans[on].last)
	}
	walk := circle(waits, func(i int32, visit func(int32)) {
		for _, w := range after[i] {
			visit(w)
		}
	})
	if walk != nil {
		return c.file.errorf("%s", describeCircle(walk, func(i int32) string {
			return fmt.Sprintf("node %d", c.spans[i].id)
		}))
	}
	return nil
}

// powerOfTwo reports whether a group can halve.
func powerOfTwo(n int) bool { return bits.OnesCount(uint(n)) == 1 }
