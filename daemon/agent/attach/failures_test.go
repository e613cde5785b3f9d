// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

func TestFailures(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f := newFailures()
	first, second := &Request{ContainerID: "c1", Pod: &model.PodRequest{Namespace: "ns", Name: "web"}}, &Request{ContainerID: "c2", Pod: &model.PodRequest{Namespace: "ns", Name: "web"}}
	f.record(first, errors.New("no such network"), at)
	f.record(second, errors.New("no address left"), at.Add(time.Second))
	f.record(&Request{ContainerID: "c3"}, errors.New("no such group"), at)
	if got, want := f.by["pod/ns/web"], (Failure{"pod/ns/web", at.Add(time.Second), 2, "no address left"}); got != want || len(f.by) != 2 {
		t.Errorf("want %+v of two, got %+v", want, f.by)
	}
	f.record(second, nil, at.Add(2*time.Second))
	if _, still := f.by["pod/ns/web"]; still {
		t.Error("what has succeeded is no longer reported")
	}
	f.record(&Request{ContainerID: "c4"}, errors.New("no such group"), at.Add(failureKept+time.Second))
	if _, still := f.by["container/c3"]; still {
		t.Error("what is an hour old is no longer reported")
	}
	for i := range maxFailures + 5 {
		f.record(&Request{ContainerID: fmt.Sprintf("d%d", i)}, errors.New("x"), at.Add(failureKept+time.Duration(i)*time.Second))
	}
	if _, last := f.by[fmt.Sprintf("container/d%d", maxFailures+4)]; len(f.by) != maxFailures || !last {
		t.Errorf("want the last %d, got %d", maxFailures, len(f.by))
	}
}
