package chip

// Cells returns how many cells a packet takes, rounded up.
func Cells(bytes int64) int64 { return (bytes + CellBytes - 1) / CellBytes }

// DepthUnit is the number of cells in one unit of qlength, the depth that the ghost thread is
// given: qlength is the number of cells divided by it, rounded down. The zero value is 2.
type DepthUnit int

// MaxQlength is the largest depth that qlength's 18 bits can report, in units.
const MaxQlength = 1<<18 - 1

// Cells returns the unit in cells: 2 if it is not set.
func (u DepthUnit) Cells() int64 {
	if u <= 0 {
		return 2
	}
	return int64(u)
}

// Qlength returns what the ghost thread is given of a depth in cells.
func (u DepthUnit) Qlength(cells int64) int64 { return cells / u.Cells() }

// Comparison is a test of a queue's depth against a threshold.
type Comparison uint8

// The four tests.
const (
	Above   Comparison = iota // depth > threshold: K_pause of Pyrrha
	AtLeast                   // depth >= threshold: X_off of PortFC
	Below                     // depth < threshold: K_resume of Pyrrha
	AtMost                    // depth <= threshold: X_on of PortFC
)

// Holds reports whether a depth passes the test against a threshold.
func (c Comparison) Holds(depth, threshold int64) bool {
	switch c {
	case Above:
		return depth > threshold
	case AtLeast:
		return depth >= threshold
	case Below:
		return depth < threshold
	default:
		return depth <= threshold
	}
}

// String returns the sign: ">", ">=", "<" or "<=".
func (c Comparison) String() string {
	if int(c) >= len(signs) {
		return "?"
	}
	return signs[c]
}

var signs = [...]string{">", ">=", "<", "<="}

// Limit returns the number of units against which the test of qlength is, for every depth, the test
// of the depth itself against a threshold in cells. exact is false if there is none: qlength has
// lost the bits that decide. With U cells in a unit and a whole number m,
//
//	cells >  K and cells <= K  are exact for K = U m + U - 1, where they are qlength > m, <= m
//	cells >= K and cells <  K  are exact for K = U m,         where they are qlength >= m, < m
//
// [DepthUnit.Round] finds the nearest thresholds that are.
func (u DepthUnit) Limit(test Comparison, cells int64) (units int64, exact bool) {
	shifted, unit := cells-u.rest(test), u.Cells()
	if shifted < 0 || shifted%unit != 0 || shifted/unit > MaxQlength {
		return 0, false
	}
	return shifted / unit, true
}

// Round returns the thresholds next to one in cells for which a test of qlength is exact: the
// largest that is not above it and the smallest that is not below it. They are equal if it is exact
// itself. Where there is none on one side, because a threshold is less than the least or more
// than qlength can report, both are the nearest on the other.
func (u DepthUnit) Round(test Comparison, cells int64) (down, up int64) {
	rest, unit := u.rest(test), u.Cells()
	least, most := rest, rest+unit*MaxQlength
	cells = min(max(cells, least), most)
	down = (cells-rest)/unit*unit + rest
	if down == cells {
		return down, down
	}
	return down, down + unit
}

// rest returns what an exact threshold leaves when it is divided by the unit.
func (u DepthUnit) rest(test Comparison) int64 {
	if test == Above || test == AtMost {
		return u.Cells() - 1
	}
	return 0
}
