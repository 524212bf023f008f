package fit

// Placement is what the compiler of the Tofino family placed of a program of this module: by a
// debug build of its back end, whose constants of the parser are not to be trusted.
type Placement struct {
	Program string
	Stages  int
	Cost    Cost
	Why     string // it is more than the estimate, as far as that is known
}

// Placements returns those that are known. Of BFC, OFC and Pyrrha none is.
func Placements() []Placement {
	return []Placement{
		{"paths", 12, Cost{Blocks: 17}, "action data of path0_link take a block of their own"},
		{"portfc", 12, Cost{Blocks: 21, TCAMs: 3, MapRAMs: 8, ALUs: 4},
			"actions without a key take stages of their own"},
	}
}
