package check

// holdFrames notes where the parser of a program and this module's own differ on frames.
func (p *program) holdFrames(f *faults) {}
