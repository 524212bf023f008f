package replay

import "github.com/sluicefc/sluice"

// cell is a place of a table; one without packets is free.
type cell struct {
	flow    uint64
	packets int           // of flow_in_port_tab; 1 in other tables if the cell is taken
	ingress sluice.PortID // of flow_in_port_tab: where the last packet came in
	marked  bool          // of congested_flow_tab: the resume is deferred; of pause_frame_tab: told
}

// table is two rows of cells, as registers of the chip are. The lower 32 bits of a flow choose its
// cell in the first row, the upper bits its cell in the second: a flow takes the first if that is
// free or its own, else the second. It may be in both, if another flow had the first when it came
// into the second; what is said of one cell is then said of both.
type table []cell

// newTable returns the cells of one class: all classes together have at least one per flow.
func newTable(flows int) table {
	row := 1
	for 2*row*sluice.Classes < flows {
		row *= 2
	}
	return make(table, 2*row)
}

func (t table) choices(flow uint64) [2]int {
	row := uint64(len(t) / 2)
	return [2]int{int(flow & (row - 1)), int(row + flow>>32&(row-1))}
}

// place returns the cell that a flow has, or takes if that is free; -1 if both are other flows'.
func (t table) place(flow uint64) int {
	for _, at := range t.choices(flow) {
		if t[at].packets == 0 || t[at].flow == flow {
			return at
		}
	}
	return -1
}

func (t table) has(flow uint64) bool {
	for _, at := range t.choices(flow) {
		if t[at].packets > 0 && t[at].flow == flow {
			return true
		}
	}
	return false
}

// each calls a function with every taken cell for which another holds, and reports whether there
// was one.
func (t table) each(of func(*cell) bool, do func(*cell)) (some bool) {
	for at := range t {
		if c := &t[at]; c.packets > 0 && of(c) {
			do(c)
			some = true
		}
	}
	return some
}

// free takes flows out of their cells. It reports whether there was one.
func (t table) free(of func(*cell) bool) bool {
	return t.each(of, func(c *cell) { *c = cell{} })
}

func (t table) count(of func(*cell) bool) (n int) {
	t.each(of, func(*cell) { n++ })
	return n
}

func taken(*cell) bool    { return true }
func marked(c *cell) bool { return c.marked }

// leave takes a packet of a flow out of its cell.
func (t table) leave(at int) {
	if t[at].packets--; t[at].packets == 0 {
		t[at] = cell{}
	}
}
