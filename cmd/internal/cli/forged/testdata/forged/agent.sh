# The scenario bad fails while there is a file of this name.
if grep -q '"scenario": *"bad"' && [ -e broken ]; then answer=no; else answer=yes; fi
echo '{"steps":[{"action":"respond"}],"cost_usd":0.01,"duration_s":0.5,"output":"'"$answer"'"}'
