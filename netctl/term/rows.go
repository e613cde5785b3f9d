package term

import (
	"bufio"
	"encoding/binary"
	"unicode/utf8"
)

// rows are the rows of a table in one piece of memory: of each the number of its cells, and of each cell its length and its
// text. The numbers are uvarints.
type rows struct {
	packed []byte
	widths []int // of the columns, in characters
}

// add packs a row. A last cell that nothing is to stand behind is as wide as it is, and makes its column no wider; with tail,
// it does.
func add[T string | []byte](r *rows, row []T, tail bool) {
	for len(r.widths) < len(row) {
		r.widths = append(r.widths, 0)
	}
	if r.packed == nil {
		r.packed = make([]byte, 0, 64<<10) // what is not used of it costs nothing
	}
	r.packed = binary.AppendUvarint(r.packed, uint64(len(row)))
	for i, cell := range row {
		r.packed = binary.AppendUvarint(r.packed, uint64(len(cell)))
		r.packed = append(r.packed, cell...)
		if len(cell) > r.widths[i] && (i < len(row)-1 || tail) {
			r.widths[i] = max(r.widths[i], utf8.RuneCount(r.packed[len(r.packed)-len(cell):]))
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
	for len(rest) > 0 {
		line := out.AvailableBuffer()
		for i, last := 0, number()-1; i <= last; i++ {
			n := number()
			cell := rest[:n]
			rest = rest[n:]
			line = append(line, cell...)
			if i < last || tail {
				line = pad(line, widths[i]-utf8.RuneCount(cell)+gap)
			}
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
