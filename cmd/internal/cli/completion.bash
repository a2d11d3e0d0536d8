
# The words of the line and the one that is completed. Bash ends words at = and :, too, which are put together here, as
# the package bash-completion does where it is there.
__NAME_init_completion()
{
    COMPREPLY=()
    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi
    local i word rest=$COMP_LINE after=${COMP_LINE:COMP_POINT}
    words=()
    cword=0
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        word=${COMP_WORDS[i]}
        if ((i > 0)) && [[ $rest != [[:space:]]* && ( $word == [=:]* || ${COMP_WORDS[i-1]} == *[=:] ) ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        rest=${rest#"${rest%%[![:space:]]*}"}
        rest=${rest#"$word"}
        ((i == COMP_CWORD)) && cword=$((${#words[@]} - 1))
    done
    # What stands behind the cursor is no part of what is completed.
    cur=${words[cword]}
    after=${after%%[[:space:]]*}
    cur=${cur%"$after"}
    words[cword]=$cur
    prev=
    ((cword > 0)) && prev=${words[cword-1]}
    return 0
}
