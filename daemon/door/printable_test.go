package door

import "testing"

func TestPrintable(t *testing.T) {
	for _, row := range []struct {
		name, in string
		most     int
		want     string
	}{
		{"plain", "ann@laptop", 64, "ann@laptop"},
		{"control characters", "a\x1b[31mb\r\nc\x7f", 64, "a[31mbc"},
		{"those of the second kind", "a\u0085b\u009bc", 64, "abc"},
		{"what is no UTF-8", "a\xffb", 64, "ab"},
		{"spaces at the ends", "  ann \n", 64, "ann"},
		{"too long", "abcdef", 4, "abcd"},
		{"cut within a letter", "abcé", 4, "abc"},
	} {
		if got := Printable(row.in, row.most); got != row.want {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
	}
}
