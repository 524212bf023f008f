package main

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/sonic"
)

// check looks at a configuration and returns the exit status: 1 if something can lose a packet.
func (o *options) check(w io.Writer, file string) (int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 2, err
	}
	db, err := sonic.Parse(text)
	if err != nil {
		return 2, err
	}
	s, err := db.Import(o.chip)
	if err != nil {
		return 2, err
	}
	mtu := s.LosslessMTU
	unsafe := false
	for i := range s.Config.Ports {
		unsafe = checkPort(w, s, i, mtu) || unsafe
		unsafe = checkEgress(w, s, i, mtu) || unsafe
	}
	unsafe = checkPools(w, s, o.chip.Buffer, mtu) || unsafe
	for _, n := range s.Left {
		fmt.Fprintln(w, "left:", n)
	}
	if unsafe {
		return 1, nil
	}
	return 0, nil
}

// checkPort writes what is to be said of a port, and reports whether it can lose a packet.
func checkPort(w io.Writer, s *sonic.Switch, i int, mtu sluice.Bytes) (unsafe bool) {
	p, cell := &s.Config.Ports[i], s.Config.CellSize
	needed := p.HeadroomFor(mtu, cell)
	for class := range sluice.Class(sluice.Classes) {
		if !p.Classes.Has(class) {
			continue
		}
		profile := p.Profiles[class]
		name := fmt.Sprintf("%s|%d (%v, %d m)", s.Ports[i], class, p.Link.Rate, s.Cables[i])
		switch spare := profile.Headroom - needed; {
		case !p.Sends.Has(class):
			fmt.Fprintf(w, "%s: unsafe: its peer is not told to pause\n", name)
			unsafe = true
		case spare >= 0:
			fmt.Fprintf(w, "%s: safe: headroom %d, needed %d, %d to spare\n",
				name, profile.Headroom, needed, spare)
		default:
			unsafe = true
			fmt.Fprintf(w, "%s: unsafe: headroom %d, needed %d, %d short\n",
				name, profile.Headroom, needed, -spare)
			timeline(w, p.Burst(mtu, cell, profile.Headroom))
		}
		checkThreshold(w, name, profile, cells(mtu, cell))
	}
	checkWatchdog(w, s, i)
	return unsafe
}

// checkWatchdog compares the times of a port's watchdog with how long one pause lasts.
func checkWatchdog(w io.Writer, s *sonic.Switch, i int) {
	p := &s.Config.Ports[i]
	if p.Watchdog == nil || p.Watchdog.Detection == 0 {
		return
	}
	detection := p.Watchdog.Detection
	poll := cmp.Or(s.Config.Watchdog.Poll, pfc.DefaultWatchdogPoll)
	if pause := p.Link.Rate.TimeOfQuanta(pfc.DefaultPause); detection <= pause {
		fmt.Fprintf(w, "%s: watchdog: a detection time of %v is no longer than one pause, %v: a resume "+
			"that is lost is a storm\n", s.Ports[i], detection, pause)
	}
	if poll > detection {
		fmt.Fprintf(w, "%s: watchdog: it looks every %v, and is to detect in %v\n", s.Ports[i], poll,
			detection)
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

// cells returns what a frame takes of the buffer.
func cells(size, cell sluice.Bytes) sluice.Bytes {
	cell = max(cell, 1)
	return (size + cell - 1) / cell * cell
}

// checkThreshold says where one frame that leaves resumes what the next one pauses, of up to so
// many bytes of the buffer.
func checkThreshold(w io.Writer, name string, p *pfc.Profile, mtu sluice.Bytes) {
	offset := max(0, p.ResumeOffset)
	if p.XOff != 0 {
		offset = p.XOff - p.XOn
	}
	if offset < 2*mtu {
		fmt.Fprintf(w, "%s: flaps: it resumes %d bytes below the threshold, less than two frames of "+
			"%d\n", name, offset, mtu)
	}
}

// checkPools compares what is reserved with what there is, in a chip of so much memory, 0 if that
// is not known. It reports whether the configuration promises bytes twice, or to one group too few.
func checkPools(w io.Writer, s *sonic.Switch, memory, mtu sluice.Bytes) (unsafe bool) {
	c := &s.Config
	apart := c.SetApart()
	fmt.Fprintf(w, "buffer: %d bytes, %d set apart, %d shared\n", c.Buffer, apart, c.Buffer-apart)
	if memory > 0 && c.Buffer > memory {
		fmt.Fprintf(w, "buffer: unsafe: the chip has %d bytes\n", memory)
		unsafe = true
	}
	if c.HeadroomPool == 0 {
		return unsafe
	}
	sum, most := sluice.Bytes(0), sluice.Bytes(0)
	for i := range c.Ports {
		needed := c.Ports[i].HeadroomFor(mtu, c.CellSize)
		sum += needed * sluice.Bytes(c.Ports[i].Classes.Len())
		if c.Ports[i].Classes.Len() > 0 {
			most = max(most, needed)
		}
	}
	word := ""
	if most > c.HeadroomPool {
		word, unsafe = "unsafe: ", true
	}
	fmt.Fprintf(w, "shared headroom pool: %s%d bytes; one priority group needs up to %d, all at once "+
		"%d\n", word, c.HeadroomPool, most, sum)
	return unsafe
}
