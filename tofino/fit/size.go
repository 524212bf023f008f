package fit

import (
	"math/bits"

	"github.com/sluicefc/sluice/tofino/ir"
)

// Words of the chip's memories.
const (
	wordBits  = 128
	words     = 1024 // of an SRAM block
	tcamRows  = 512
	leastWays = 4 // of a hash table
	ghostBits = 10
	version   = 4 // bits of an entry that say which version of the table it is of
	immediate = 32
)

// OfTable returns the cost of a table with room for the entries.
func OfTable(t *ir.Table, entries int) Cost {
	keyBits, rangeBytes, rows, ternary := 0, 0, 1, false
	for _, key := range t.Keys {
		width := key.X.Width()
		keyBits += width
		switch key.Kind {
		case ir.Range:
			rangeBytes += up(width, 8)
			rows *= min(8, max(1, 2*up(width, 4)-1))
			ternary = true
		case ir.Ternary, ir.Prefix:
			ternary = true
		}
	}
	data := 0
	for _, action := range t.Actions {
		sum := 0
		for _, param := range action.Params {
			sum += param.Bits
		}
		data = max(data, sum)
	}
	overhead := actionBits(len(t.Actions))
	if data <= immediate {
		overhead += data
	}
	if ternary {
		return ternaryCost(up(keyBits, 8)+rangeBytes, entries, rows, overhead, data)
	}
	return exactCost(keyBits, entries, overhead, data)
}

// actionBits returns the bits that tell actions apart in an entry.
func actionBits(actions int) int {
	if actions > 8 {
		return 6
	}
	return bits.Len(uint(max(actions, 1) - 1))
}

// exactCost takes the cheapest way to pack entries of a hash table into words: n of them in a row
// of up to eight blocks. Ten bits of the key are implied by the row of the block.
func exactCost(keyBits, entries, overhead, data int) Cost {
	match := max(keyBits-ghostBits, 0)
	matchBytes := max(up(keyBits, 8)-ghostBits/8, 0)
	best := Cost{Blocks: 1 << 30}
	for n := 1; n <= 9; n++ {
		width := max(up(n*(overhead+version+match), wordBits), up(n*matchBytes, wordBits/8),
			up(n*overhead, 64), up(n, 5))
		if width > 8 {
			continue
		}
		depth := ways(keyBits, n, up(entries, n*words))
		cost := depth * width
		if data > immediate {
			cost += actionData(data, n*depth*words)
		}
		if cost < best.Blocks {
			best = Cost{Blocks: cost}
		}
	}
	return best
}

// ways returns how many rows of blocks a hash table of a depth has: at least four, so that keys
// find room, unless the key itself can be the row and that takes no more.
func ways(keyBits, n, depth int) int {
	if keyBits <= 18 {
		if identity := power(up(1<<max(keyBits-ghostBits, 0), n)); identity <= depth {
			return identity
		}
	}
	return max(depth, leastWays)
}

// actionData returns the blocks of a table of action data beside the entries.
func actionData(bits, entries int) int {
	size := power(up(bits, 8))
	if size <= 16 {
		return up(entries, words*(16/size))
	}
	return up(entries, words) * (size / 16)
}

// ternaryCost returns the TCAMs of a table, and the SRAM blocks that say what an entry does. A
// quarter of the entries is taken to use ranges to the full, as the compiler assumes.
func ternaryCost(keyBytes, entries, rows, overhead, data int) Cost {
	entries += entries / 4 * (rows - 1)
	width := 1
	if keyBytes > 5 {
		width = 2 * up(keyBytes, 11)
	}
	depth := max(1, up(entries, tcamRows))
	size := max(power(overhead), 8)
	cost := Cost{TCAMs: depth * width, Blocks: up(depth*tcamRows, words*max(1, wordBits/size))}
	if data > immediate {
		cost.Blocks += actionData(data, depth*tcamRows)
	}
	return cost
}

// OfRegister returns the cost of a register: its blocks and a spare, which the chip needs to read
// and write at once. An array of more than 23 blocks is split over several ALUs.
func OfRegister(r *ir.Register) Cost {
	element := r.Bits
	if r.Pair {
		element *= 2
	}
	blocks := max(1, up(r.Size, words*(wordBits/power(element))))
	alus := up(blocks, mostBlocks)
	copies := 1
	if r.Shared {
		copies = 2 // ghost writes one while ingress reads the other
	}
	return Cost{
		Blocks: copies * (blocks + alus), MapRAMs: copies * (blocks + alus), ALUs: copies * alus,
	}
}

// mostBlocks is how many blocks one ALU drives beside the spare.
const mostBlocks = 23

// power returns the power of two that is not less than a number.
func power(n int) int { return 1 << bits.Len(uint(max(n, 1)-1)) }

// up divides and rounds up.
func up(n, by int) int { return (n + by - 1) / by }
