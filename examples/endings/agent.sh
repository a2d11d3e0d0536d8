read -r request
case $request in
*'"wait"'*) echo "so far so good"; exec sleep 60 ;;
*'"delete all"'*) echo "that is not allowed"; exit 3 ;;
*'"unknown tool"'*) exec no-such-tool ;;
esac
