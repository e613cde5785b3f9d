// SPDX-License-Identifier: Apache-2.0

package identity

import "testing"

// A printed key is read back as the same, and no other text is accepted.
func TestAttachments(t *testing.T) {
	for text, ok := range map[string]bool{"": true, "t:g:p": true, "re.d:g-1:p.2": true, "t:g": false, "t:g:": false, "t::p": false, ":g:p": false, "t:g:p:r": false} {
		id, err := ParseAttachment(text)
		if (err == nil) != ok || ok && id.String() != text {
			t.Errorf("%q: got %q, %v", text, id, err)
		}
	}
	for text, ok := range map[string]bool{"t:g:p:r": true, "": false, "t:g:p": false, "t:g:p:": false, "t:g:p:r:x": false} {
		id, err := ParseAttachedRule(text)
		if (err == nil) != ok || ok && (id.String() != text || id.Of().String() != "t:p:r") {
			t.Errorf("%q: got %q of %q, %v", text, id, id.Of(), err)
		}
	}
	a, b := Attachment{Group{"t", "a"}, "q"}, Attachment{Group{"t", "b"}, "p"}
	if a.Compare(b) >= 0 || a.Compare(a) != 0 || a.Of() != (Policy{"t", "q"}) {
		t.Errorf("%v and %v: want the group to count first", a, b)
	}
}
