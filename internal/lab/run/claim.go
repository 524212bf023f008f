package run

// Claim is a number of a paper beside ours.
type Claim struct {
	What, FC  string
	Published string // as the paper gives it; "" where it gives none
	Ours      string
}
