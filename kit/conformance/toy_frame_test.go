package conformance

import (
	"encoding/binary"

	"github.com/sluicefc/sluice"
)

type toyFrame struct {
	pause bool
	hold  sluice.Time
}

const toyFrameLength = 12

func (f *toyFrame) Kind() string {
	if f.pause {
		return "pause"
	}
	return "resume"
}

func (f *toyFrame) AppendTo(dst []byte) []byte {
	if frameFault == overwritesBuffer {
		dst = dst[:0]
	}
	dst = append(dst, 'T', 'O', 'Y', 0)
	if f.pause {
		dst[len(dst)-1] = 1
	}
	return binary.BigEndian.AppendUint64(dst, uint64(f.hold))
}

func (f *toyFrame) Parse(src []byte) error {
	if len(src) != toyFrameLength || string(src[:3]) != "TOY" || src[3] > 1 {
		return errToyFrame
	}
	if frameFault == writesFrame {
		src[11]++
	}
	f.pause = src[3] == 1
	f.hold = sluice.Time(binary.BigEndian.Uint64(src[4:]))
	return nil
}

var errToyFrame = &sluice.FrameError{Package: "toy", Rule: "not a frame of the toy"}
