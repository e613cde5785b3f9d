// Package cnicache removes what a container runtime that was killed has left half written in the cache of its CNI library.
//
// The library keeps the result of each ADD in a file, which it creates and then writes. When the runtime ends between the two, the file stays
// empty, and with a library older than version 1.3, as that of containerd 1.6, every DEL of that container fails from then on, before a plugin is asked:
// its pod never goes. Without the file the library asks the plugin, which needs no former result; newer libraries remove the file themselves.
package cnicache
