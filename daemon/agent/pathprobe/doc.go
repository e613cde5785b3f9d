// Package pathprobe finds out what the ways between hosts carry: the tunnels, and the tags of networks on the trunk. It sends probes that the
// switch of the other host turns back, a few a second however many hosts there are, and more where something is lost; and says what is wrong.
package pathprobe
