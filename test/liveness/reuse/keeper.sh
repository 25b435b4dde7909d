# Owns the process that a record names, and swaps it: kills it, waits on it, and starts another one under the same number.
# One command per line on stdin, one answer per line on stdout. Runs as root of a pid namespace of its own.
while read -r command; do
  case $command in
    start)
      sleep 1000 >/dev/null & pid=$!
      echo "$pid" ;;
    swap)
      kill -KILL "$pid"
      wait "$pid" 2>/dev/null
      echo $((pid - 1)) >/proc/sys/kernel/ns_last_pid
      sleep 1000 >/dev/null & pid=$!
      echo "$pid" ;;
    tick)
      # Longer than one clock tick: within it, two processes of one number have one start time.
      sleep 0.03
      echo ok ;;
    end)
      # A signal with a greater number than SIGTERM, so that one that is on its way counts first.
      kill -PROF "$pid"
      wait "$pid" 2>/dev/null
      echo $? ;;
  esac
done
