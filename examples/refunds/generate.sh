cat > gap.json
echo '{"scenarios": [{"name": "all of it", "input": {"text": "Refund 500 EUR."}, "why": "500 is the most"}]}'
