package run

// Claim is one statement of a paper, and what is measured of runs to judge it: it has one verdict,
// however many cells that takes. Claims of several scenarios with the same Statement and Place are
// one statement. Without a Statement it is what the paper gives nothing of, and is measured beside.
type Claim struct {
	Statement string // what the paper states, in our own words
	Place     string // where it stands: "section 7.2, paragraph 3; Figure 12(b)"
	Source    Source // how its number came from there to here
	Name      string // by which a Message refers to it; "" where none does

	// Measures give the cells; what the paper gives for each is their Published.
	Measures []Measurement
	// Rising are names as in Published: of runs, or, where there is a relation, of baselines. The
	// statement is that each of the measures grows from one name to the next. Nil: it is no order.
	Rising []string
	// Across says that the statement is an order of the measures: each run's values grow from one
	// measure to the next.
	Across bool

	Note string // what a reader has to know beside the verdict
}

// Beside are measures of which the paper gives nothing.
func Beside(measures ...Measurement) Claim { return Claim{Measures: measures} }

// Source says how a number of a paper came here.
type Source string

const (
	Given   Source = "text"     // the text or a table has it
	Curve   Source = "curve"    // it was read off a figure
	Derived Source = "derived"  // we computed it of what the paper gives
	Formula Source = "formula"  // a formula of the paper, evaluated for the run and beside it
	Others  Source = "measured" // others ran the same traffic, and their numbers are a file
)

// Measurement is measured of every run whose name is in Of; with a relation, of every pair of such
// a run and a baseline. Each is a cell.
type Measurement struct {
	What   string // "mean FCT of incast flows"
	Unit   string // of Value, "us"; "" for counts and shares. A relation has its own.
	Figure string // of the paper that draws it, where it is not the scenario's

	// Of names runs, by a name of Outcome.Names; nil means all.
	Of []string
	// Relation compares with each run that Against names; nil means all runs but Of.
	Relation Relation
	Against  []string
	// Alike has what a run and a baseline must have in common; nil if nothing.
	Alike func(*Outcome) string

	// Value measures a run. A relation is between the values of two runs.
	Value Measure

	// Published is what the paper gives, by a name of the run, or of the baseline where there is a
	// relation; "" stands for other names. Only measures of a statement have it.
	Published Ranges
}

// Message is one of the main things that a paper wants its readers to take along.
type Message struct {
	Statement string   // in our own words
	Place     string   // where it stands, "abstract"
	Claims    []string // names of the claims that it rests on; none if nothing here tests it
}
