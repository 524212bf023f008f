package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/sonic"
)

// check looks at a configuration and returns the exit status: 1 if something can lose a packet, or
// is wrong with the tables, or cannot be judged.
func (o *options) check(w io.Writer, file, lookup string) (int, error) {
	db, err := o.read(file, lookup)
	if err != nil {
		return 2, err
	}
	r := &report{w: w}
	s, err := db.Import(o.chip)
	if err != nil {
		r.faults(db.Faults())
		r.flush()
		return 2, err
	}
	fmt.Fprintln(w, assumed(s))
	r.faults(s.Faults)
	needed := needs(s)
	for i := range s.Config.Ports {
		checkPort(r, s, i, needed[i])
	}
	checkEgresses(r, s, needed)
	r.flush()
	unsafe := checkPools(w, s, memoryOf(&s.Chip), needed) || r.failed
	for _, n := range s.Left {
		fmt.Fprintln(w, "left:", n)
	}
	if unsafe {
		return 1, nil
	}
	return 0, nil
}

// read reads the files of a switch.
func (o *options) read(file, lookup string) (*sonic.DB, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	db, err := sonic.Parse(text)
	if err != nil {
		return nil, err
	}
	if o.asic != "" {
		if err := db.ChooseASIC(o.asic); err != nil {
			return nil, err
		}
	}
	if lookup == "" {
		return db, nil
	}
	rows, err := os.Open(lookup)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	parsed, err := sonic.ParseLookup(rows)
	db.UseLookup(parsed)
	return db, err
}

// assumed names the facts that no file has, and those that the check ignores.
func assumed(s *sonic.Switch) string {
	var all []string
	add := func(is bool, what string) {
		if is {
			all = append(all, what)
		}
	}
	c := &s.Chip
	add(s.Config.CellSize <= 1, "the buffer counts bytes, not cells (-cell)")
	add(c.MACPHY == 0, "nothing arrives in MAC and PHY (-mac-phy)")
	add(c.Pipeline == 0, "nothing in the pipeline (-pipeline)")
	add(c.Response == 0, "a peer obeys within the quanta of IEEE 802.3 (-response)")
	add(c.Buffer == 0, "the pools fit the memory (-buffer)")
	all = append(all, fmt.Sprintf("no lossless frame has more than %d bytes", s.LosslessMTU))
	return "assumed: " + strings.Join(all, "; ") +
		"; not looked at: lossy groups, maps of DSCP, and what the notes below leave out"
}

// memoryOf returns the memory of one slice, of which the configuration is; 0 if it is not known.
func memoryOf(c *sonic.Chip) sluice.Bytes { return c.Buffer / sluice.Bytes(max(1, c.Slices)) }

// needs returns the headroom that each port has to have.
func needs(s *sonic.Switch) []sluice.Bytes {
	type figures struct {
		link                     sluice.Link
		pipeline, phy            sluice.Time
		mtu, overhead, wholeCell sluice.Bytes
		reaction                 sluice.Quanta
	}
	known := map[figures]sluice.Bytes{}
	all := make([]sluice.Bytes, len(s.Config.Ports))
	for i := range s.Config.Ports {
		p := &s.Config.Ports[i]
		key := figures{p.Link, p.Pipeline, p.PHY, p.MTU, p.Overhead, s.Config.CellSize, p.Reaction}
		n, is := known[key]
		if !is {
			n = p.HeadroomFor(s.LosslessMTU, s.Config.CellSize).Total
			known[key] = n
		}
		all[i] = n
	}
	return all
}

// checkPort reports on a port that needs the given headroom.
func checkPort(r *report, s *sonic.Switch, i int, needed sluice.Bytes) {
	p := &s.Config.Ports[i]
	for class := range sluice.Class(sluice.Classes) {
		if !p.Classes.Has(class) {
			continue
		}
		profile := p.Profiles[class]
		name := fmt.Sprintf("%s|%d", s.Ports[i], class)
		what := fmt.Sprintf(" (%v, %d m): ", p.Link.Rate, s.Cables[i])
		switch spare := profile.Headroom - needed; {
		case !p.Sends.Has(class):
			r.fail(name, what+"unsafe: the port sends its peer no pauses")
		case spare < 0:
			r.fail(name, fmt.Sprintf("%sunsafe: headroom %d, needed %d, %d short\n%s", what,
				profile.Headroom, needed, -spare, r.burst(s, i, profile.Headroom)))
		case !s.CableGiven(i):
			r.fail(name, what+"unknown: the length of its cable is not given")
		default:
			r.say(name, fmt.Sprintf("%ssafe%s: headroom %d, needed %d, %d to spare", what,
				alone(s), profile.Headroom, needed, spare))
		}
		checkThreshold(r, name, what, profile, cells(s.LosslessMTU, s.Config.CellSize))
	}
	checkWatchdog(r, s, i)
}

// alone says of a group whose headroom is of a pool that it shares with others that it is safe as
// far as these leave it.
func alone(s *sonic.Switch) string {
	sum := sluice.Bytes(0)
	for i := range s.Config.Ports {
		p := &s.Config.Ports[i]
		for class, own := range p.Profiles {
			if own != nil && p.Classes.Has(sluice.Class(class)) {
				sum += own.Headroom
			}
		}
	}
	if s.Config.HeadroomPool > 0 && s.Config.HeadroomPool < sum {
		return " while others leave it the headroom pool"
	}
	return ""
}

// checkWatchdog compares the times of a port's watchdog with how long one pause lasts.
func checkWatchdog(r *report, s *sonic.Switch, i int) {
	p := &s.Config.Ports[i]
	if p.Watchdog == nil || p.Watchdog.Detection == 0 {
		return
	}
	detection := p.Watchdog.Detection
	poll := cmp.Or(s.Config.Watchdog.Poll, pfc.DefaultWatchdogPoll)
	if pause := p.Link.Rate.TimeOfQuanta(pfc.DefaultPause); detection <= pause {
		r.say(s.Ports[i], fmt.Sprintf(": watchdog: a detection time of %v is no longer than one pause, "+
			"%v: a resume that is lost is a storm", detection, pause))
	}
	if poll > detection {
		r.say(s.Ports[i], fmt.Sprintf(": watchdog: it looks every %v, and is to detect in %v", poll,
			detection))
	}
}

// timeline writes a burst, frames of a size in a row as one.
func timeline(w io.Writer, frames []pfc.BurstFrame) {
	fmt.Fprintf(w, "    the shortest burst found that loses a packet, %d frames back to back:\n",
		len(frames))
	for first := 0; first < len(frames); {
		last := first
		for last+1 < len(frames)-1 && first > 0 && frames[last+1].Size == frames[first].Size {
			last++
		}
		f, what := frames[last], ""
		switch {
		case last == len(frames)-1:
			what = ", which is lost"
		case first == 0:
			what = ", which crosses the threshold: a pause is due, and a frame of ours has just begun"
		}
		fmt.Fprintf(w, "    %12v  %d x %d bytes, headroom %d%s\n",
			frames[first].Begins, last-first+1, f.Size, f.Headroom, what)
		first = last + 1
	}
}

// cells returns the bytes of the buffer that a frame takes.
func cells(size, cell sluice.Bytes) sluice.Bytes {
	cell = max(cell, 1)
	return (size + cell - 1) / cell * cell
}

// checkThreshold reports a profile that one frame resumes and the next one pauses, with frames of
// up to mtu bytes of the buffer.
func checkThreshold(r *report, name, what string, p *pfc.Profile, mtu sluice.Bytes) {
	offset := max(0, p.ResumeOffset)
	if p.XOff != 0 {
		offset = p.XOff - p.XOn
	}
	if offset < 2*mtu {
		r.say(name, fmt.Sprintf("%sflaps: it resumes %d bytes below the threshold, less than two frames "+
			"of %d", what, offset, mtu))
	}
}

// checkPools compares the reserved bytes with a chip's memory, 0 if that is not known. It reports
// whether the configuration promises bytes twice, or to one group too few.
func checkPools(
	w io.Writer, s *sonic.Switch, memory sluice.Bytes, needed []sluice.Bytes,
) (unsafe bool) {
	c := &s.Config
	apart := c.SetApart()
	fmt.Fprintf(w, "buffer: %d bytes, %d set apart, %d shared\n", c.Buffer, apart, c.Buffer-apart)
	if memory > 0 && c.Buffer > memory {
		fmt.Fprintf(w, "buffer: unsafe: the chip has %d bytes\n", memory)
		unsafe = true
	}
	for i, size := range c.EgressPools {
		if memory > 0 && size > memory {
			fmt.Fprintf(w, "egress pool %d of %d: unsafe: %d bytes, and the chip has %d\n", i+1,
				len(c.EgressPools), size, memory)
			unsafe = true
		}
	}
	if c.HeadroomPool == 0 {
		return unsafe
	}
	sum, most := sluice.Bytes(0), sluice.Bytes(0)
	for i := range c.Ports {
		sum += needed[i] * sluice.Bytes(c.Ports[i].Classes.Len())
		if c.Ports[i].Classes.Len() > 0 {
			most = max(most, needed[i])
		}
	}
	if sum == 0 {
		return unsafe // no group takes of it
	}
	word := ""
	if most > c.HeadroomPool {
		word, unsafe = "unsafe: ", true
	}
	fmt.Fprintf(w, "shared headroom pool: %s%d bytes; one priority group needs up to %d, all at once "+
		"%d\n", word, c.HeadroomPool, most, sum)
	return unsafe
}
