package model

import (
	"fmt"
	"strings"
	"testing"
)

func TestLabelText(t *testing.T) {
	for text, want := range map[string]string{
		"map[]": "", "map[app:db]": "app=db", "map[app:db tier:back]": "app=db,tier=back", "map[a:x y z b:]": "a=x y z,b=", "map[url:http://h:1]": "url=http://h:1", "": "", "app=db": "app=db", "map[": "map[",
		"map[word]": "word",
	} {
		if got := LabelText(text); got != want {
			t.Errorf("%q: want %q, got %q", text, want, got)
		}
	}
}

func FuzzLabelText(f *testing.F) {
	f.Add("map[app:db tier:back]", "app", "db")
	f.Fuzz(func(t *testing.T, text, key, value string) {
		_ = LabelText(text)
		if key == "" || strings.ContainsAny(key+value, " :") {
			return
		}
		if got := LabelText(fmt.Sprint(map[string]string{key: value})); got != key+"="+value {
			t.Errorf("%q: %q: got %q", key, value, got)
		}
	})
}
