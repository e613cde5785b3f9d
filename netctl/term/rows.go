package term

import (
	"bufio"
	"encoding/binary"
	"unicode/utf8"
)

// rows are the rows of a table in one piece of memory: of each the number of its cells, and of each cell its length and one, and
// its text, or zero when it is as in the row above. The numbers are uvarints. Columns often say the same again and again, and memory
// that a short program touches for the first time costs it more than finding that out.
type rows struct {
	packed []byte
	above  []span // the cells of the last row, in packed
	widths []int  // of the columns, in characters
}

// span is a part of a text.
type span struct{ from, to int }

// add packs a row. A last cell that nothing is to stand behind is as wide as it is, and makes its column no wider; with tail,
// it does. same marks cells that are as in the row above; nil: nobody knows.
func add[T string | []byte](r *rows, row []T, same []bool, tail bool) {
	for len(r.widths) < len(row) {
		r.widths = append(r.widths, 0)
	}
	for len(r.above) < len(row) {
		r.above = append(r.above, span{})
	}
	if r.packed == nil {
		r.packed = make([]byte, 0, 64<<10) // what is not used of it costs nothing
	}
	r.packed = binary.AppendUvarint(r.packed, uint64(len(row)))
	for i, cell := range row {
		above := &r.above[i]
		if above.to > 0 && (same != nil && same[i] || string(r.packed[above.from:above.to]) == string(cell)) {
			r.packed = append(r.packed, 0)
		} else {
			r.packed = binary.AppendUvarint(r.packed, uint64(len(cell)+1))
			above.from = len(r.packed)
			r.packed = append(r.packed, cell...)
			above.to = len(r.packed)
		}
		if len(cell) > r.widths[i] && (i < len(row)-1 || tail) {
			r.widths[i] = max(r.widths[i], utf8.RuneCount(r.packed[above.from:above.to]))
		}
	}
}

// write prints the rows, each cell as wide as its column, the last of a row only with tail. The writer keeps the error.
func (r *rows) write(out *bufio.Writer, widths []int, tail bool) {
	rest := r.packed
	number := func() int {
		n, size := binary.Uvarint(rest)
		rest = rest[size:]
		return int(n)
	}
	type cell struct {
		text   []byte
		padded []byte // and what parts it from the next
	}
	cells := make([]cell, len(widths))
	for len(rest) > 0 {
		line := out.AvailableBuffer()
		for i, last := 0, number()-1; i <= last; i++ {
			c := &cells[i]
			if rest[0] == 0 {
				rest = rest[1:]
			} else {
				n := number() - 1
				c.text, c.padded, rest = rest[:n], c.padded[:0], rest[n:]
			}
			if i == last && !tail {
				line = append(line, c.text...)
				continue
			}
			if len(c.padded) == 0 {
				c.padded = pad(append(c.padded, c.text...), widths[i]-utf8.RuneCount(c.text)+gap)
			}
			line = append(line, c.padded...)
		}
		_, _ = out.Write(append(line, '\n'))
	}
}

const (
	gap    = 2 // between columns
	spaces = "                                                                "
)

// pad appends n spaces.
func pad(line []byte, n int) []byte {
	for ; n > len(spaces); n -= len(spaces) {
		line = append(line, spaces...)
	}
	return append(line, spaces[:n]...)
}
