// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// frames is the answer to a watch.
type frames struct {
	w      http.ResponseWriter
	buffer *bufio.Writer
	proto  io.Writer // of whole frames in protobuf; nil: it is JSON
}

// newFrames starts an answer, in protobuf if both sides support it.
func newFrames(w http.ResponseWriter, q *http.Request, streams bool, resource string) *frames {
	f := &frames{w: w, buffer: bufio.NewWriter(w)}
	kind := "application/json"
	if streams && resource != "clusternetworkpolicies" && strings.Contains(q.Header.Get("Accept"), runtime.ContentTypeProtobuf) {
		kind = runtime.ContentTypeProtobuf + ";stream=watch"
		f.proto = protobuf.LengthDelimitedFramer.NewFrameWriter(f.buffer)
	}
	w.Header().Set("Content-Type", kind)
	return f
}

// send adds an event of an object.
func (f *frames) send(happened string, it *stored) {
	if f.proto == nil {
		_ = json.NewEncoder(f.buffer).Encode(map[string]any{"type": happened, "object": it.text})
		return
	}
	text, err := (&metav1.WatchEvent{Type: happened, Object: runtime.RawExtension{Raw: it.proto}}).Marshal()
	if err == nil {
		_, err = f.proto.Write(text)
	}
	if err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
}

// expired reports that the requested versions are expired.
func (f *frames) expired() {
	gone := &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Reason: metav1.StatusReasonExpired,
		Code: http.StatusGone, Message: "too old"}
	text, err := json.Marshal(gone)
	it := stored{text: text}
	if err == nil && f.proto != nil {
		it.proto, err = encoded(gone)
	}
	if err != nil {
		panic(fmt.Sprintf("a status of our own: %v", err))
	}
	f.send("ERROR", &it)
	f.flush()
}

func (f *frames) flush() {
	_ = f.buffer.Flush()
	f.w.(http.Flusher).Flush()
}
