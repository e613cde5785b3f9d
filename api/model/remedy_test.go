// SPDX-License-Identifier: Apache-2.0

package model

import (
	"errors"
	"fmt"
	"testing"
)

// One function joins a message and its remedy without repetition.
func TestRemedies(t *testing.T) {
	inner := Errorf(CodeConflict, "", "it is taken").Try("choose another; nothing has been changed")
	for _, test := range []struct {
		name         string
		in           *Error
		text, remedy string
	}{
		{"none", Errorf(CodeInvalid, "", "wrong"), "wrong", ""},
		{"one", Errorf(CodeInvalid, "", "wrong").Try("say %s", "right"), "wrong", "say right"},
		{"in the message already", Errorf(CodeInvalid, "", "wrong: say right").Try("Say right"), "wrong: say right", ""},
		{"a clause of it already", Errorf(CodeInvalid, "", "wrong: say right").Try("say right; or nothing"), "wrong: say right", "or nothing"},
		{"twice", Errorf(CodeInvalid, "", "wrong").Try("say right; say right"), "wrong", "say right"},
		{"of an error inside", Errorf(CodeInvalid, "", "object 3: %v", inner), "object 3: it is taken", "choose another; nothing has been changed"},
		{"of a wrapped one", Errorf(CodeInvalid, "", "object %d: %v", 3, fmt.Errorf("a name: %w", inner)), "object 3: a name: it is taken", "choose another; nothing has been changed"},
		{"its own and one inside", Errorf(CodeInvalid, "", "object 3: %v", inner).Try("leave it out; nothing has been changed"), "object 3: it is taken",
			"leave it out; nothing has been changed; choose another"},
		{"an error without one", Errorf(CodeInvalid, "", "object 3: %v", errors.New("no")).Try("say right"), "object 3: no", "say right"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.in.Message != test.text || test.in.Remedy != test.remedy {
				t.Errorf("want %q and %q, got %q and %q", test.text, test.remedy, test.in.Message, test.in.Remedy)
			}
			text, remedy := Parted(fmt.Errorf("ADD: %w", test.in))
			if text != "ADD: "+test.text || remedy != test.remedy {
				t.Errorf("parted: want %q and %q, got %q and %q", "ADD: "+test.text, test.remedy, text, remedy)
			}
		})
	}
	if text, remedy := Parted(errors.New("x (y)")); text != "x (y)" || remedy != "" {
		t.Errorf("of another error: got %q and %q", text, remedy)
	}
}
